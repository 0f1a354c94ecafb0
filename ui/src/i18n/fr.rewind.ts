/** French: going back in the stream. */
import type { enRewind } from './en.rewind.ts';
import type { SameKeys } from './index.ts';

export const frRewind: SameKeys<typeof enRewind> = {
  'rewind.bar': 'Revenir en arrière dans le stream',
  'rewind.back': 'Reculer de 10 secondes',
  'rewind.live': 'Revenir au direct',
  'rewind.atLive': 'En direct',
  'rewind.behind': '{time} derrière le direct',
  'rewind.late': 'Vous arrivez en cours de route : le stream a commencé il y a {duration}.',
  'rewind.late.start': 'Regarder depuis le début',
  'rewind.late.window': 'Vous arrivez en cours de route, mais vous pouvez revenir en arrière.',
  'rewind.late.back': 'Reculer de {duration}',
  'rewind.refused': 'Impossible de revenir en arrière pour le moment.',
};

/** Spanish: going back in the stream. */
import type { enRewind } from './en.rewind.ts';
import type { SameKeys } from './index.ts';

export const esRewind: SameKeys<typeof enRewind> = {
  'rewind.bar': 'Retroceder en la transmisión',
  'rewind.back': 'Retroceder 10 segundos',
  'rewind.live': 'Ir a en vivo',
  'rewind.atLive': 'En vivo',
  'rewind.behind': '{time} por detrás del momento actual',
  'rewind.late': 'Llegaste tarde: la transmisión empezó hace {duration}.',
  'rewind.late.start': 'Ver desde el principio',
  'rewind.late.window': 'Llegaste tarde, pero puedes retroceder.',
  'rewind.late.back': 'Retroceder {duration}',
  'rewind.refused': 'Ahora no se puede retroceder.',
};

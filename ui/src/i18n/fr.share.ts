/** French: the share dialog. */
import type { enShare } from './en.share.ts';
import type { SameKeys } from './index.ts';

export const frShare: SameKeys<typeof enShare> = {
  'share.title': 'Partager ce stream',
  'share.link': 'Lien',
  'share.code': 'Code d’intégration',
  'share.code.help': 'Place le lecteur sur n’importe quelle page.',
  'share.withChat': 'Avec le chat',
  'share.player': 'Adresse du stream pour VLC et d’autres lecteurs',
  'share.send': 'Envoyer à…',
};

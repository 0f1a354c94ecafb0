/** German: the share dialog. */
import type { enShare } from './en.share.ts';
import type { SameKeys } from './index.ts';

export const deShare: SameKeys<typeof enShare> = {
  'share.title': 'Diesen Stream teilen',
  'share.link': 'Link',
  'share.code': 'Einbettungscode',
  'share.code.help': 'Setzt den Player auf eine beliebige Seite.',
  'share.withChat': 'Mit Chat',
  'share.player': 'Stream-Adresse für VLC und andere Player',
  'share.send': 'Senden an …',
};

/** Spanish: the share dialog. */
import type { enShare } from './en.share.ts';
import type { SameKeys } from './index.ts';

export const esShare: SameKeys<typeof enShare> = {
  'share.title': 'Compartir esta transmisión',
  'share.link': 'Enlace',
  'share.code': 'Código para insertar',
  'share.code.help': 'Pone el reproductor en cualquier página.',
  'share.withChat': 'Con chat',
  'share.player': 'Dirección de la transmisión para VLC y otros reproductores',
  'share.send': 'Enviar a…',
};

/** English, the source of the keys: the share dialog, fetched when it opens. */
import type { Catalogue } from './index.ts';

export const enShare = {
  'share.title': 'Share this stream',
  'share.link': 'Link',
  'share.code': 'Embed code',
  'share.code.help': 'Puts the player on any page.',
  'share.withChat': 'With chat',
  'share.player': 'Stream address for VLC and other players',
  'share.send': 'Send to…',
} satisfies Catalogue;

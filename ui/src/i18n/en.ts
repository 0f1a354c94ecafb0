/** English, the source of the keys: everything a viewer can read, and what both pages share. */
import type { Catalogue } from './index.ts';

export const en = {
  'common.skip': 'Skip to the content',
  'common.theme.dark': 'Switch to dark colours',
  'common.theme.light': 'Switch to light colours',
  'common.language': 'Language',
  'common.close': 'Close',
  'common.retry': 'Try again',
  'common.loading': 'Loading…',
  'common.copy': 'Copy',
  'common.copied': 'Copied',
  'common.dismiss': 'Dismiss this message',
  'common.live': 'Live',
  'common.offline': 'Offline',

  'viewer.home': '{name}, start page',
  'viewer.offline.title': '{name} is offline',
  'viewer.offline.text':
    'There is nothing on right now. Come back later; this page notices by itself when the stream starts.',
  'viewer.offline.last': 'Last live {when}',
  'viewer.live.title': 'The stream is live',
  'viewer.live.text': 'Open it in a player of your choice, such as VLC or mpv:',
  'viewer.live.for': 'Live for {duration}',
  'viewer.viewers': { one: '{count} viewer', other: '{count} viewers' },
  'viewer.nsfw': 'Not safe for work',
  'viewer.tags': 'Tags',
  'viewer.links': 'Links',
  'viewer.tabs': 'About this stream',
  'viewer.about': 'About',
  'viewer.about.empty': 'Nothing has been written here yet.',
  'viewer.lost': 'Connection lost, retrying…',
  'viewer.failed.title': 'The page could not be loaded',
  'viewer.failed.text': 'The server did not answer. It may be restarting.',
  'viewer.player': 'Player',
  'viewer.details': 'About {name}',
} satisfies Catalogue;

/** English, the source of the keys of the first page. */
import type { Catalogue } from './index.ts';

export const enAdminHome = {
  'attention.title': 'What needs your attention',
  'attention.none': 'Nothing needs your attention.',
  'attention.disk': 'The disk is nearly full: {free} left.',
  'attention.disk.full': 'The disk is full: only {free} left. Make room before the server can no longer save anything.',
  'attention.backup.never': 'No backup has been made yet.',
  'attention.backup.old': 'The last backup was made {ago}.',
  'attention.backup.how': 'How to back up',
  'attention.certificate': 'The certificate ends on {date}, and nothing has renewed it yet.',
  'attention.certificate.ended': 'The certificate has ended; browsers refuse this server.',
  'attention.keys': 'There is no stream key, so nobody can stream here.',
  'attention.url': 'The server does not know its public address. Links, embed codes and the Fediverse need it.',
  'attention.name': 'The server still has the name it was installed with.',
  'attention.page': 'The About text is still the one it was installed with.',
  'attention.webhooks.failing': {
    one: '{count} webhook is failing.',
    other: '{count} webhooks are failing.',
  },
  'attention.webhooks.disabled': {
    one: '{count} webhook was turned off after failing for too long.',
    other: '{count} webhooks were turned off after failing for too long.',
  },
  'attention.deliveries': {
    one: '{count} Fediverse server cannot be reached; posts for it are waiting.',
    other: '{count} Fediverse servers cannot be reached; posts for them are waiting.',
  },
  'attention.logs': {
    one: '{count} error in the log of the last 24 hours.',
    other: '{count} errors in the log of the last 24 hours.',
  },

  wrongKey: 'An encoder tried to stream with a wrong stream key ({ago}). Copy the key again, all of it.',

  'preview.title': 'What viewers see',
  'preview.play': 'Play here',
  'preview.stop': 'Stop',
  'preview.picture': 'The newest picture of the stream',
  'preview.player': 'The stream, without sound',
  'preview.text': 'The newest picture; it renews itself.',
  'preview.counts': 'Muted. It does not count as a viewer.',

  'server.state': 'This server',
  'server.state.disk': 'Disk',
  'server.state.disk.free': '{free} of {total} free',
  'server.state.backup': 'Last backup',
  'server.state.backup.never': 'Never',
  'server.state.plugins': '{count} on',
  'server.state.plugins.off': 'off: {names}',

  'home.watch.guessed': 'Taken from your browser’s address bar, because the server URL is not set.',
  'home.watch.guessed.set': 'Set the server URL',
} satisfies Catalogue;

/** English, the source of the keys of the log: sentences for what happens often, by the server's own words. */
import type { Catalogue } from './index.ts';

export const enAdminLogs = {
  'logs.download': 'Download',

  'log.a broadcaster publishes': 'An encoder connected.',
  'log.a broadcaster was refused': 'An encoder was refused.',
  'log.a second publisher was refused': 'A second encoder was refused: someone is streaming already.',
  'log.live': 'The stream is live.',
  'log.offline': 'The stream has ended.',
  'log.the publisher is gone, waiting for it to come back': 'The encoder is gone. Waiting for it to come back.',
  'log.the publisher is gone before anything could be shown': 'The encoder left before anything could be shown.',
  'log.ready': 'The server is ready.',
  'log.stopping': 'The server is stopping.',
  'log.stopped': 'The server has stopped.',
  'log.setting changed': 'A setting was changed.',
  'log.wrong admin password': 'Someone entered a wrong admin password.',
  'log.admin password changed': 'The admin password was changed.',
  'log.access token made': 'An access token was created.',
  'log.access token revoked': 'An access token was revoked.',
  'log.webhook not delivered, given up': 'A webhook could not be delivered; the server has given up.',
  'log.broadcast ended by the operator': 'You ended the stream.',

  'logfact.yes': 'yes',
  'logfact.no': 'no',
  'logfact.peer': 'from',
  'logfact.key': 'stream key',
  'logfact.encoder': 'encoder',
  'logfact.is_tls': 'encrypted',
  'logfact.reason': 'reason',
  'logfact.grace': 'seconds to come back',
  'logfact.error': 'error',
  'logfact.setting': 'setting',
  'logfact.plugin': 'plugin',
  'logfact.version': 'version',
  'logfact.host': 'server',
} satisfies Catalogue;

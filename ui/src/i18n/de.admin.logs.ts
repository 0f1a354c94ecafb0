/** German, for the log. */
import type { enAdminLogs } from './en.admin.logs.ts';
import type { SameKeys } from './index.ts';

export const deAdminLogs: SameKeys<typeof enAdminLogs> = {
  'logs.download': 'Herunterladen',

  'log.a broadcaster publishes': 'Ein Encoder hat sich verbunden.',
  'log.a broadcaster was refused': 'Ein Encoder wurde abgewiesen.',
  'log.a second publisher was refused': 'Ein zweiter Encoder wurde abgewiesen: Es streamt schon jemand.',
  'log.live': 'Der Stream ist live.',
  'log.offline': 'Der Stream ist zu Ende.',
  'log.the publisher is gone, waiting for it to come back': 'Der Encoder ist weg. Es wird auf ihn gewartet.',
  'log.the publisher is gone before anything could be shown': 'Der Encoder ging, bevor etwas zu zeigen war.',
  'log.ready': 'Der Server ist bereit.',
  'log.stopping': 'Der Server wird beendet.',
  'log.stopped': 'Der Server ist beendet.',
  'log.setting changed': 'Eine Einstellung wurde geändert.',
  'log.wrong admin password': 'Jemand hat ein falsches Passwort für die Verwaltung eingegeben.',
  'log.admin password changed': 'Das Passwort für die Verwaltung wurde geändert.',
  'log.access token made': 'Ein Zugriffstoken wurde erstellt.',
  'log.access token revoked': 'Ein Zugriffstoken wurde widerrufen.',
  'log.webhook not delivered, given up': 'Ein Webhook ließ sich nicht zustellen; der Server hat aufgegeben.',
  'log.broadcast ended by the operator': 'Du hast den Stream beendet.',

  'logfact.yes': 'ja',
  'logfact.no': 'nein',
  'logfact.peer': 'von',
  'logfact.key': 'Streamschlüssel',
  'logfact.encoder': 'Encoder',
  'logfact.is_tls': 'verschlüsselt',
  'logfact.reason': 'Grund',
  'logfact.grace': 'Sekunden zum Wiederkommen',
  'logfact.error': 'Fehler',
  'logfact.setting': 'Einstellung',
  'logfact.plugin': 'Plugin',
  'logfact.version': 'Version',
  'logfact.host': 'Server',
};

/** German, for the first page. */
import type { enAdminHome } from './en.admin.home.ts';
import type { SameKeys } from './index.ts';

export const deAdminHome: SameKeys<typeof enAdminHome> = {
  'attention.title': 'Was zu tun ist',
  'attention.none': 'Alles in Ordnung, es ist nichts zu tun.',
  'attention.disk': 'Die Festplatte ist fast voll: noch {free} frei.',
  'attention.disk.full':
    'Die Festplatte ist voll: nur noch {free} frei. Schaff Platz, bevor der Server nichts mehr speichern kann.',
  'attention.backup.never': 'Es gibt noch keine Sicherung.',
  'attention.backup.old': 'Die letzte Sicherung entstand {ago}.',
  'attention.backup.how': 'So geht’s',
  'attention.certificate': 'Das Zertifikat läuft am {date} ab, und es wurde noch nicht erneuert.',
  'attention.certificate.ended': 'Das Zertifikat ist abgelaufen; Browser lehnen diesen Server ab.',
  'attention.keys': 'Es gibt keinen Streamschlüssel, also kann hier niemand streamen.',
  'attention.url':
    'Der Server kennt seine öffentliche Adresse nicht. Links, Einbettungen und das Fediverse brauchen sie.',
  'attention.name': 'Der Server heißt noch so wie nach der Installation.',
  'attention.page': 'Der Seitentext ist noch der von der Installation.',
  'attention.webhooks.failing': {
    one: '{count} Webhook schlägt fehl.',
    other: '{count} Webhooks schlagen fehl.',
  },
  'attention.webhooks.disabled': {
    one: '{count} Webhook wurde abgeschaltet, weil er zu lange fehlschlug.',
    other: '{count} Webhooks wurden abgeschaltet, weil sie zu lange fehlschlugen.',
  },
  'attention.deliveries': {
    one: '{count} Server im Fediverse ist nicht erreichbar; Beiträge warten auf ihn.',
    other: '{count} Server im Fediverse sind nicht erreichbar; Beiträge warten auf sie.',
  },
  'attention.logs': {
    one: '{count} Fehler im Protokoll der letzten 24 Stunden.',
    other: '{count} Fehler im Protokoll der letzten 24 Stunden.',
  },

  wrongKey:
    'Ein Encoder hat mit einem falschen Streamschlüssel zu streamen versucht ({ago}). Kopiere den Schlüssel noch einmal, und zwar ganz.',

  'preview.title': 'Was Zuschauer sehen',
  'preview.play': 'Hier abspielen',
  'preview.stop': 'Anhalten',
  'preview.picture': 'Das neueste Bild des Streams',
  'preview.player': 'Der Stream, ohne Ton',
  'preview.text': 'Das neueste Bild; es erneuert sich von selbst.',
  'preview.counts': 'Ohne Ton. Es zählt nicht als Zuschauer.',

  'server.state': 'Dieser Server',
  'server.state.disk': 'Festplatte',
  'server.state.disk.free': '{free} von {total} frei',
  'server.state.backup': 'Letzte Sicherung',
  'server.state.backup.never': 'Noch nie',
  'server.state.plugins': '{count} an',
  'server.state.plugins.off': 'aus: {names}',

  'home.watch.guessed': 'Aus der Adresszeile deines Browsers, weil die Server-URL nicht gesetzt ist.',
  'home.watch.guessed.set': 'Server-URL setzen',
};

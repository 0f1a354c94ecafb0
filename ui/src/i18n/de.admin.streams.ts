/** German, for the admin pages about past streams and their charts. */
import type { enAdminStreams } from './en.admin.streams.ts';
import type { SameKeys } from './index.ts';

export const deAdminStreams: SameKeys<typeof enAdminStreams> = {
  'chart.read': 'Ablesen: {title}',
  'chart.read.help': 'Die Pfeiltasten gehen von einem Zeitpunkt zum nächsten.',

  'viewers.range.1h': '1 Stunde',
  'viewers.range.24h': '24 Stunden',
  'viewers.range.7d': '7 Tage',
  'viewers.range.30d': '30 Tage',
  'viewers.range.all': 'Gesamt',
  'viewers.average': 'Durchschnitt',
  'viewers.most': 'Höchstwert',
  'viewers.chart.text': 'In den Lücken war der Stream aus und niemand im Chat.',
  'viewers.clients': 'Chat-Verbindungen',

  'streams.more': 'Ältere Streams zeigen',
  'streams.back': '← Alle vergangenen Streams',
  'streams.missing.title': 'Diesen Stream gibt es nicht',
  'streams.missing.text': 'Vielleicht ist die Adresse vertippt, oder sie gehört zu einem anderen Server.',
  'streams.average': 'Zuschauer im Schnitt',
  'streams.watchTime': 'Wiedergabezeit',
  'streams.messages': 'Chat-Nachrichten',
  'streams.chatters': 'Personen im Chat',
  'streams.uncounted': 'Bei diesem Stream hat der Server das noch nicht gezählt.',
  'streams.chat.chart': 'Chat-Nachrichten im Lauf der Zeit',
  'streams.export.list': 'Liste herunterladen',
  'streams.export.viewers': 'Zuschauerzahlen herunterladen',
  'streams.export.chat': 'Chat herunterladen',
  'streams.export.chat.off':
    'Der Chat lässt sich nicht herunterladen; erlauben kannst du es in den Chat-Einstellungen.',
  'streams.export.chat.text': 'Enthalten sind nur Nachrichten, die noch nicht gelöscht wurden.',

  'streams.incidents': 'Störungen',
  'streams.incidents.none': 'Keine Störungen',
  'streams.incidents.none.text': 'Die Verbindung hielt, und der Server kam hinterher.',
  'streams.incident': 'Was war los',
  'streams.incident.publisher-lost': 'Die Verbindung zu deinem Encoder ist abgebrochen',
  'streams.incident.publisher-returned': 'Dein Encoder war wieder da',
  'streams.incident.server-restarted': 'Der Server wurde neu gestartet',
  'streams.incident.encoder-restarted': 'Die Transkodierung musste neu gestartet werden',
  'streams.incident.encoder-behind': 'Die Transkodierung kam nicht hinterher',
  'streams.incident.keyframe-interval': 'Die Keyframes lagen zu weit auseinander',
  'streams.incident.dropped-frames': 'Es fehlten Bilder',
  'streams.incident.jitter': 'Die Bilder kamen ungleichmäßig an',
  'streams.incident.starving': 'Es kam viel weniger an als sonst',
  'streams.incident.malformed': 'Manche Bilder waren nicht lesbar',
  'streams.incident.mp3-sound': 'Der Ton war MP3, das Chrome und Edge nicht abspielen',

  'streams.referrers': 'Woher die Besucher kamen',
  'streams.referrers.text': 'Aufrufe der Seite und eingebetteter Player während des Streams, nach Website.',
  'streams.referrers.none': 'Keine Besuche gezählt',
  'streams.referrers.none.text':
    'Während des Streams hat niemand die Seite geöffnet, oder der Server hat damals noch nicht gezählt.',
  'streams.referrer': 'Website',
  'streams.referrer.unknown': 'Direkt oder unbekannt',
  'streams.referrer.others': 'Andere Websites',
  'streams.visits': 'Besuche',

  'setting.chat/logexport.label': 'Chat als Datei herunterladen',
  'setting.chat/logexport.help':
    'Du kannst den Chat eines Streams als Datei speichern, solange die Nachrichten aufbewahrt werden. Sag es den Leuten im Chat, wenn du das tust.',
};

/** German: the first run. */
import type { enAdminSetup } from './en.admin.setup.ts';
import type { SameKeys } from './index.ts';

export const deAdminSetup: SameKeys<typeof enAdminSetup> = {
  'setup.checking': 'Link wird geprüft …',
  'setup.steps': 'Schritte der Einrichtung',
  'setup.step.account': 'Name und Passwort',
  'setup.step.address': 'Adresse',
  'setup.step.stream': 'Erster Stream',
  'setup.next': 'Weiter: dein erster Stream',
  'setup.back': 'Zurück',
  'setup.later': 'Später erledigen',
  'setup.finish': 'Zur Verwaltung',

  'setup.address.title': 'Bist du erreichbar?',
  'setup.address.lead': 'Drei Prüfungen aus diesem Browser. Nichts davon hält dich auf.',
  'check.title': 'Prüfungen',
  'check.again': 'Erneut prüfen',
  'check.running': 'Wird geprüft …',
  'check.verdict.checking': 'wird geprüft',
  'check.verdict.good': 'in Ordnung',
  'check.verdict.warning': 'sieh es dir an',
  'check.verdict.bad': 'funktioniert nicht',
  'check.address.title': 'Öffentliche Adresse',
  'check.address.same': 'Du bist auf {url}, und das ist die Server-URL.',
  'check.address.other': '{url} antwortet. Du bist auf {here}; deine Zuschauer nutzen die Server-URL.',
  'check.address.none': 'Es ist keine Server-URL eingetragen. Links in Beiträgen und Einbettungen brauchen eine.',
  'check.address.none.advice':
    'Trage die Adresse aus der Leiste dieses Browsers ein, wenn sie die deiner Zuschauer ist.',
  'check.address.local':
    'Es ist keine Server-URL eingetragen, und diese Seite ist unter einer Adresse offen, die nur beim Server gilt.',
  'check.address.local.advice':
    'Für einen Stream im eigenen Netz genügt das. Für die Öffentlichkeit brauchst du eine Domain, die auf diesen Server zeigt; trage sie oben ein.',
  'check.address.scheme': 'Die Server-URL ist {url}, aber du bist auf {here}.',
  'check.address.scheme.advice': 'Gleiche sie an: Nimm https in die Server-URL, wenn diese Seite es hat.',
  'check.address.unreachable': '{url} antwortet nicht.',
  'check.address.unreachable.advice':
    'Prüfe, ob die Domain auf diesen Server zeigt, ob Router und Firewall die Ports 80 und 443 durchlassen und ob der Proxy läuft.',
  'check.address.another': '{url} antwortet, ist aber nicht dieser Server.',
  'check.address.another.advice': 'Prüfe, wohin die Domain zeigt und ob der Proxy alles an diesen Server weitergibt.',
  'check.address.onlyHere': '{url} antwortet diesem Browser, aber der Server hat dort nichts erreicht: {reason}.',
  'check.address.onlyHere.advice':
    'Viele Router zu Hause lassen einen Server sich nicht selbst anrufen. Öffne die Adresse auf einem Handy über das Mobilfunknetz: Antwortet sie dort, ist alles gut.',
  'check.https.unproven': 'Die Server-URL beginnt mit https, aber dort hat dieser Server noch nicht geantwortet.',
  'check.https.unproven.advice': 'Bring zuerst die öffentliche Adresse in Ordnung und prüfe dann noch einmal.',
  'check.encryption.title': 'Verschlüsselung (https)',
  'check.https.good': 'Zuschauer kommen über https. Ihre Browser vertrauen der Verbindung, und alles funktioniert.',
  'check.https.local': 'Unverschlüsselt. Auf dem eigenen Rechner oder im eigenen Netz genügt das.',
  'check.https.missing':
    'Unverschlüsselt. Browser melden „nicht sicher“, Passwörter reisen offen, und Fediverse und Anmeldung funktionieren nicht.',
  'check.https.advice':
    'Setze einen Proxy wie Caddy davor, der sich selbst ein Zertifikat holt, oder starte den Server mit --tls-cert und --tls-key.',
  'check.socket.title': 'Verbindung des Chats (WebSocket)',
  'check.socket.good': 'Eine Verbindung zu {url} ließ sich öffnen. Der Chat kommt sofort an.',
  'check.socket.off': 'Der Chat ist ausgeschaltet; hier gibt es nichts zu prüfen.',
  'check.socket.bad': 'Zu {url} ließ sich keine Verbindung öffnen. Der Chat nimmt einen langsameren Weg.',
  'check.socket.advice':
    'Meist wirft ein Proxy die Kopfzeile Upgrade weg. Diese Zeilen braucht nginx; Caddy braucht keine.',
  'check.socket.lines': 'Zeilen für nginx',

  'setup.phone.title': 'Auf dem Handy ansehen',
  'setup.phone.text': 'Richte die Kamera hierher oder öffne die Seite in einem anderen Tab.',
  'setup.phone.machine':
    'Diese Adresse gilt nur auf diesem Rechner. Trag oben eine ein, die ein Handy versteht: die Domain oder die Adresse des Servers in deinem Netz.',
  'setup.phone.local': 'Das Handy muss im selben Netz sein wie der Server.',
  'setup.phone.code': 'QR-Code von {url}',

  'setup.stream.title': 'Dein erster Stream',
  'setup.stream.lead': 'Trage zwei Werte in deinen Encoder ein und starte. Das Bild erscheint unten.',
  'setup.obs.title': 'OBS Studio in fünf Schritten',
  'setup.obs.other': 'Andere Programme nennen die Felder genauso: Server (oder URL) und Streamschlüssel.',
  'setup.obs.1': 'Öffne rechts unten die Einstellungen.',
  'setup.obs.2': 'Wähle links „Stream“ und als Dienst „Benutzerdefiniert…“.',
  'setup.obs.3': 'Server: {server}. Kopiere den Streamschlüssel von oben in das Feld darunter.',
  'setup.obs.4': 'Wähle „Ausgabe“: Bitrate 4500 kbps, Keyframe-Intervall 2 s (im erweiterten Modus).',
  'setup.obs.5': 'Drücke „OK“ und dann „Stream starten“.',
  'setup.waiting': 'Warten auf deinen Stream …',
  'setup.waiting.text': 'Starte den Stream; dann siehst du hier, was deine Zuschauer sehen.',
  'setup.arrived': 'Dein Stream ist da',
  'setup.picture': 'Dein Stream, wie ihn Zuschauer sehen',
  'setup.bitrate': 'Kommt an',
};

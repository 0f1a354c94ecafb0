/** German, for the admin pages about what the server measures. */
import type { enAdminInsight } from './en.admin.insight.ts';
import type { SameKeys } from './index.ts';

export const deAdminInsight: SameKeys<typeof enAdminInsight> = {
  'nav.viewers': 'Zuschauer',
  'nav.hardware': 'Hardware',
  'nav.health': 'Zustand des Streams',

  'chart.range': '{name}: zwischen {low} und {high}.',
  'chart.empty': 'In dieser Zeit wurde nichts gemessen.',
  'chart.table': 'Als Tabelle zeigen',

  'viewers.numbers': 'Zuschauer in Zahlen',
  'viewers.chart': 'Zuschauer im Lauf der Zeit',
  'viewers.count': 'Zuschauer',
  'viewers.range': 'Zeitraum',
  'viewers.present': 'Sehen gerade zu',
  'viewers.present.text': 'Das siehst nur du.',
  'viewers.since': 'Sieht zu seit',
  'viewers.empty.title': 'Niemand sieht zu',
  'viewers.empty.text': 'Wer den Stream öffnet, erscheint hier nach wenigen Sekunden.',

  'hardware.now': 'Gerade jetzt',
  'hardware.used': 'Belegt',
  'hardware.cpu': 'Prozessor',
  'hardware.cpu.text': 'Ist er lange voll ausgelastet, stockt der Stream bei allen.',
  'hardware.cpu.fine': 'viel Luft',
  'hardware.cpu.busy': 'beschäftigt; behalte ihn im Blick',
  'hardware.cpu.full': 'überlastet: weniger Qualitäten oder ein größerer Rechner helfen',
  'hardware.memory': 'Arbeitsspeicher',
  'hardware.memory.text': 'Geht er aus, beendet das System womöglich den Server.',
  'hardware.memory.fine': 'viel Luft',
  'hardware.memory.busy': 'wird knapp',
  'hardware.memory.full': 'fast voll: beende andere Programme oder rüste nach',
  'hardware.disk': 'Festplatte',
  'hardware.disk.text': 'Ist sie voll, kann nichts mehr gespeichert werden: kein Chat, keine Einstellungen.',
  'hardware.disk.fine': 'viel Platz',
  'hardware.disk.busy': 'füllt sich',
  'hardware.disk.full': 'fast voll: schaffe bald Platz',
  'hardware.empty.title': 'Noch nichts gemessen',
  'hardware.empty.text': 'Die ersten Zahlen erscheinen keine zwei Minuten nach dem Start des Servers.',

  'health.offline':
    'Du bist nicht live. Unten steht, was die Player der Zuschauer zuletzt gemeldet haben, soweit es bekannt ist.',
  'health.fine': {
    one: 'Der eine Player, der sich meldet, spielt ohne Störung.',
    other: 'Alle {count} Player, die sich melden, spielen ohne Störung.',
  },
  'health.stall': {
    one: 'Bei {count} von {players} Zuschauern stockt es.',
    other: 'Bei {count} von {players} Zuschauern stockt es.',
  },
  'health.stall.slow': {
    one: 'Bei {count} von {players} Zuschauern stockt es: Die Verbindung ist langsamer als {speed}.',
    other: 'Bei {count} von {players} Zuschauern stockt es: Ihre Verbindungen sind langsamer als {speed}.',
  },
  'health.stall.some': {
    one: 'Bei {count} von {players} Zuschauern stockt es.',
    other:
      'Bei {count} von {players} Zuschauern stockt es; {slow} davon haben Verbindungen, die langsamer sind als {speed}.',
  },
  'health.representation': '{percent} der Player melden, wie es ihnen geht; von ihnen handeln die Kurven.',
  'health.seconds': '{seconds}\u00a0s',
  'health.middle': 'In der Mitte',
  'health.low': 'Niedrigster Wert',
  'health.high': 'Höchster Wert',
  'health.trouble': 'Störungen beim Abspielen',
  'health.trouble.text': 'Ab und zu ein paar bedeuten nichts. Viele auf einmal: Prüfe zuerst deinen eigenen Upload.',
  'health.errors': 'Fehler',
  'health.changes': 'Wechsel der Qualität',
  'health.latency': 'Hinter live',
  'health.latency.text': 'Wie weit hinter dir die Zuschauer das Bild sehen.',
  'health.download': 'Zeit zum Laden eines Segments',
  'health.download.text': 'Ein Segment dauert {seconds} s. Wer länger braucht, um es zu laden, muss warten.',
  'health.speed': 'Geschwindigkeit der Verbindungen',
  'health.speed.text': 'Wer unter der Bitrate deines Streams liegt, muss warten.',
  'health.speed.rates': 'Dein Stream braucht {rates}. Wer darunter liegt, muss warten.',
  'health.empty.title': 'Noch hat sich kein Player gemeldet',
  'health.empty.text': 'Während Menschen zusehen, sagen ihre Player hier, wie gut der Stream bei ihnen ankommt.',

  'notYet.notify': 'Benachrichtigungen',
  'notYet.notify.text':
    'Dieser Server verschickt noch keine Benachrichtigungen. Webhooks können einem Bot von dir melden, dass du live gehst.',
};

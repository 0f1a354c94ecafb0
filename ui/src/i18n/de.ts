/** German, for viewers and shared parts. */
import type { en } from './en.ts';
import type { SameKeys } from './index.ts';

export const de: SameKeys<typeof en> = {
  'common.skip': 'Zum Inhalt springen',
  'common.theme.dark': 'Zu dunklen Farben wechseln',
  'common.theme.light': 'Zu hellen Farben wechseln',
  'common.language': 'Sprache',
  'common.close': 'Schließen',
  'common.retry': 'Erneut versuchen',
  'common.loading': 'Wird geladen …',
  'common.copy': 'Kopieren',
  'common.copied': 'Kopiert',
  'common.dismiss': 'Diese Meldung schließen',
  'common.live': 'Live',
  'common.offline': 'Offline',

  'viewer.home': '{name}, Startseite',
  'viewer.offline.title': '{name} ist offline',
  'viewer.offline.text':
    'Gerade läuft nichts. Schau später wieder vorbei; diese Seite merkt von selbst, wenn es losgeht.',
  'viewer.offline.last': 'Zuletzt live {when}',
  'viewer.live.title': 'Der Stream ist live',
  'viewer.live.text': 'Öffne ihn in einem Player deiner Wahl, etwa VLC oder mpv:',
  'viewer.live.for': 'Schon {duration} live',
  'viewer.viewers': { one: '{count} Zuschauer', other: '{count} Zuschauer' },
  'viewer.nsfw': 'Nicht jugendfrei',
  'viewer.tags': 'Schlagwörter',
  'viewer.links': 'Links',
  'viewer.tabs': 'Über diesen Stream',
  'viewer.about': 'Über',
  'viewer.about.empty': 'Hier steht noch nichts.',
  'viewer.lost': 'Verbindung unterbrochen, neuer Versuch läuft …',
  'viewer.failed.title': 'Die Seite konnte nicht geladen werden',
  'viewer.failed.text': 'Der Server hat nicht geantwortet. Vielleicht startet er gerade neu.',
  'viewer.player': 'Player',
  'viewer.details': 'Über {name}',
};

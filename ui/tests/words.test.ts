// One thing, one name: docs/words.md as a test. A word that is meant after all gets an exception with its key.
import { describe, expect, test } from 'vitest';
import { type Catalogue, type Language, offered } from '../src/i18n/index.ts';
import { catalogueOf, formsOf } from './catalogues.ts';

interface Forbidden {
  /** What must not be written. */
  word: RegExp;
  /** What is written instead. */
  better: string;
  /** Keys where the word means something else. */
  except?: RegExp;
}

/** Words the search of the admin pages may find things by. */
const SEARCHED = /^about\./;

const ENGLISH: Forbidden[] = [
  { word: /\bbroadcast(s|er|ers|ing)?\b/i, better: 'stream, encoder' },
  { word: /\bpublishers?\b/i, better: 'encoder' },
  { word: /\bon[ -]air\b/i, better: 'live' },
  { word: /\bmut(e|es|ed|ing)\b/i, better: 'time out', except: /^(player\.|setting\.autoplay|preview\.)/ },
  { word: /\bsilenc(e|ed|ing)\b/i, better: 'time out' },
  { word: /\bauthenticat/i, better: 'sign in' },
  { word: /\blog(ged|ging)? ?(in|out)\b/i, better: 'sign in, sign out' },
  {
    word: /\busers?\b/i,
    better: 'chatter, viewer, person',
    except: /^(nav\.|banned\.empty\.text$|said\.setting-url-credentials$)/,
  },
  { word: /\bparticipants?\b/i, better: 'chatter' },
  { word: /\bchat lines?\b/i, better: 'message' },
  { word: /\bpass(ed|es)? through\b/i, better: 'source' },
  { word: /\b(rendition|rung|variant)s?\b/i, better: 'quality' },
  { word: /\b(delay|lag|distance)\b/i, better: 'latency' },
  { word: /\b(repost|toot)(s|ed)?\b/i, better: 'boost, post' },
  { word: /\bshar(es|ed)\b|^share$|^Shared$/, better: 'boost' },
  { word: /\bsubscribers?\b/i, better: 'follower' },
  { word: /\bimages?\b/i, better: 'picture' },
  { word: /\b(any|every|some)body\b/i, better: 'anyone, everyone, someone' },
  { word: /(?<!-)\bcolor(s|ed)?\b/i, better: 'colour' },
];

const GERMAN: Forbidden[] = [
  { word: /\bsendesoftware|sendeprogramm|streaming-programm/i, better: 'Encoder' },
  { word: /\bSenders?\b/, better: 'Encoder, Streamer' },
  { word: /\bauf Sendung\b|\bSendungen\b/, better: 'live, Streams' },
  { word: /nutzer(n|s|in|innen)?\b/i, better: 'Zuschauer, Person', except: /^nav\./ },
  { word: /durchgereicht|eigenes Bild/i, better: 'Original' },
  { word: /verzögerung/i, better: 'Latenz' },
  { word: /einlogg|authentifizier/i, better: 'anmelden' },
  { word: /verbann|\b(ge)?bann(t|en|e)\b/i, better: 'sperren' },
  {
    word: /\bstumm\b/i,
    better: 'stummgeschaltet',
    except: /^(player\.|setting\.autoplay|preview\.)/,
  },
  { word: /\btimeouts?\b/i, better: 'Stummschaltung' },
  { word: /verb(erg|org)/i, better: 'ausblenden', except: /^plugins\.access\./ },
  { word: /\bboost/i, better: 'teilen' },
];

const FRENCH: Forbidden[] = [];

const SPANISH: Forbidden[] = [];

const ARABIC: Forbidden[] = [];

const FORBIDDEN: Record<Language, Forbidden[]> = { en: ENGLISH, de: GERMAN, fr: FRENCH, es: SPANISH, ar: ARABIC };

/** Of what stands in braces only the catalogue's code sees the name. */
const readable = (text: string): string => text.replaceAll(/\{\w+\}/g, '…');

function offences(catalogue: Catalogue, { word, except }: Forbidden): string[] {
  return Object.entries(catalogue)
    .filter(([key]) => !SEARCHED.test(key) && !except?.test(key))
    .flatMap(([key, message]) => formsOf(message).map((text) => ({ key, text: readable(text) })))
    .filter(({ text }) => word.test(text))
    .map(({ key, text }) => `${key}: ${text}`);
}

describe('the words of the pages', () => {
  test.each(offered())('%s calls one thing by one name', (tag) => {
    const catalogue = catalogueOf(tag);
    const found = FORBIDDEN[tag].flatMap((one) => offences(catalogue, one).map((text) => `${one.better}: ${text}`));
    expect(found).toEqual([]);
  });

  test('a forbidden word is found, also among the forms of a plural', () => {
    const guilty: Catalogue = {
      'chat.x': { one: 'One user', other: 'fine' },
      'nav.x': 'Users',
      'chat.y': '{user} is fine',
    };
    const users = ENGLISH.find(({ better }) => better.startsWith('chatter, viewer')) as Forbidden;
    expect(offences(guilty, users)).toEqual(['chat.x: One user']);
  });
});

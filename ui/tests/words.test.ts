// One thing, one name: docs/words.md as a test. A word that is meant after all gets an exception with its key.
import { describe, expect, test } from 'vitest';
import { deAdmin } from '../src/i18n/de.admin.ts';
import { deFediverse } from '../src/i18n/de.fediverse.ts';
import { deModeration } from '../src/i18n/de.moderation.ts';
import { deSaid } from '../src/i18n/de.said.ts';
import { deShare } from '../src/i18n/de.share.ts';
import { de } from '../src/i18n/de.ts';
import { enAdmin } from '../src/i18n/en.admin.ts';
import { enFediverse } from '../src/i18n/en.fediverse.ts';
import { enModeration } from '../src/i18n/en.moderation.ts';
import { enSaid } from '../src/i18n/en.said.ts';
import { enShare } from '../src/i18n/en.share.ts';
import { en } from '../src/i18n/en.ts';
import type { Catalogue, Message } from '../src/i18n/index.ts';

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

const english: Catalogue = { ...en, ...enFediverse, ...enModeration, ...enShare, ...enSaid, ...enAdmin };
const german: Catalogue = { ...de, ...deFediverse, ...deModeration, ...deShare, ...deSaid, ...deAdmin };

const textsOf = (message: Message): string[] => (typeof message === 'string' ? [message] : Object.values(message));
/** Of what stands in braces only the catalogue's code sees the name. */
const readable = (text: string): string => text.replaceAll(/\{\w+\}/g, '…');

function offences(catalogue: Catalogue, { word, except }: Forbidden): string[] {
  return Object.entries(catalogue)
    .filter(([key]) => !SEARCHED.test(key) && !except?.test(key))
    .flatMap(([key, message]) => textsOf(message).map((text) => ({ key, text: readable(text) })))
    .filter(({ text }) => word.test(text))
    .map(({ key, text }) => `${key}: ${text}`);
}

describe('the words of the pages', () => {
  test.each(ENGLISH.map((one) => [one.better, one] as const))('English says %s', (_, forbidden) => {
    expect(offences(english, forbidden)).toEqual([]);
  });

  test.each(GERMAN.map((one) => [one.better, one] as const))('German says %s', (_, forbidden) => {
    expect(offences(german, forbidden)).toEqual([]);
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

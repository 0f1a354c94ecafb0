import { beforeEach, describe, expect, test } from 'vitest';
import { deFediverse } from '../src/i18n/de.fediverse.ts';
import { de } from '../src/i18n/de.ts';
import { enFediverse } from '../src/i18n/en.fediverse.ts';
import { en } from '../src/i18n/en.ts';
import { bitrate, duration, relativeTime, stopwatch } from '../src/i18n/format.ts';
import {
  addTexts,
  chooseLanguage,
  LANGUAGES,
  type Language,
  language,
  type Message,
  offered,
  type Plural,
  preferredLanguage,
  startI18n,
  t,
  translate,
  translations,
} from '../src/i18n/index.ts';
import { allAreas, areaOf, catalogueOf, formsOf, gapsOf } from './catalogues.ts';

/** In one and two, the sentence may say the number itself: "one viewer", "مشاهدان". */
const SAYS_ITS_NUMBER = ['zero', 'one', 'two'];

/** What is wrong with a text, beside English; nothing when all is well. */
function faultsOf(tag: Language, key: string, message: Message | undefined, english: Message): string[] {
  if (message === undefined) return [`${key} is missing`];
  if (typeof message !== typeof english) return [`${key} counts in one language only`];
  const gaps = [...new Set(formsOf(english).flatMap(gapsOf))].sort();
  if (typeof message === 'string') {
    const same = gapsOf(message).join() === gapsOf(english as string).join();
    return [...(message.trim() ? [] : [`${key} is empty`]), ...(same ? [] : [`${key} has other gaps`])];
  }
  const rules = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
  const forms = Object.keys(message).sort().join();
  const faults = forms === [...rules].sort().join() ? [] : [`${key} has the forms ${forms}`];
  for (const [form, text] of Object.entries(message)) {
    const like = (english as Plural)[form === 'one' ? 'one' : 'other'] ?? '';
    const asked = gapsOf(like).filter((gap) => gap !== 'count' || !SAYS_ITS_NUMBER.includes(form));
    const found = new Set(gapsOf(text));
    if (!text.trim()) faults.push(`${key} is empty for ${form}`);
    if (!asked.every((gap) => found.has(gap))) faults.push(`${key} lacks a gap for ${form}`);
    if (![...found].every((gap) => gaps.includes(gap))) faults.push(`${key} has a gap too many for ${form}`);
  }
  return faults;
}

describe('the catalogues', () => {
  describe.each(offered().filter((tag) => tag !== 'en'))('of %s', (tag) => {
    test.each(allAreas())('%s has every text, every gap and every plural form', (area) => {
      const english = areaOf('en', area);
      const translated = areaOf(tag, area);
      const faults = Object.entries(english).flatMap(([key, text]) => faultsOf(tag, key, translated[key], text));
      const more = Object.keys(translated).filter((key) => !(key in english));
      expect([...faults, ...more.map((key) => `${key} is too many`)]).toEqual([]);
    });
  });

  test.each(offered())('%s: a button of the moderators says aloud what is written on it', (tag) => {
    const said = catalogueOf(tag);
    const pairs = [
      ['chat.unban', 'panel.unban'],
      ['chat.timeout.lift', 'panel.lift'],
    ];
    for (const [written, aloud] of pairs) expect(said[aloud ?? '']).toContain(said[written ?? '']);
  });

  test.each(offered())('%s: only what cancels or takes back is called so', (tag) => {
    const said = catalogueOf(tag);
    const same = Object.keys(said).filter((key) => said[key] === said['common.cancel']);
    expect(same.filter((key) => !/(cancel|undo)$/.test(key))).toEqual([]);
  });

  test('a text that is missing, or lacks a gap or a form, is found', () => {
    expect(faultsOf('de', 'a', undefined, 'A')).toEqual(['a is missing']);
    expect(faultsOf('de', 'a', ' ', 'A')).toEqual(['a is empty']);
    expect(faultsOf('de', 'a', 'Von {wem}', 'By {whom}')).toEqual(['a has other gaps']);
    const english = { one: '{count} of {name}', other: '{count} of {name}' };
    expect(faultsOf('de', 'a', { one: 'eins von {name}', other: '{count} von {name}' }, english)).toEqual([]);
    expect(faultsOf('de', 'a', { other: '{count} von {name}' }, english)).toEqual(['a has the forms other']);
    expect(faultsOf('de', 'a', { one: 'eins', other: '{count} von {name} {x}' }, english)).toEqual([
      'a lacks a gap for one',
      'a has a gap too many for other',
    ]);
  });
});

describe('the languages', () => {
  test('all of ours are offered, and Arabic runs from right to left', () => {
    expect(offered()).toEqual(['en', 'de', 'fr', 'es', 'ar']);
    expect(offered().filter((tag) => LANGUAGES[tag].direction === 'rtl')).toEqual(['ar']);
  });

  test('one that is not complete is neither listed nor chosen', () => {
    const { state } = LANGUAGES.fr;
    LANGUAGES.fr.state = 'incomplete';
    try {
      expect(offered()).toEqual(['en', 'de', 'es', 'ar']);
      expect(preferredLanguage(['fr-CA', 'de'])).toBe('de');
    } finally {
      LANGUAGES.fr.state = state;
    }
  });

  test('files become loaders by their names, several for one language together', async () => {
    const loaders = translations(
      { '../i18n/de.ts': async () => ({ de: { a: 'eins' } }) },
      { '../i18n/de.admin.ts': async () => ({ deAdmin: { b: 'zwei' } }) },
    );
    expect(Object.keys(loaders)).toEqual(['de']);
    expect(await loaders.de?.()).toEqual({ a: 'eins', b: 'zwei' });
  });

  test('the page says which way its language runs', async () => {
    const few = { zero: 'z', one: 'o', two: 't', few: 'f', many: 'm', other: '{count}' };
    await startI18n({ en: () => en, ar: () => ({ ...en, 'viewer.viewers': few }) });
    await chooseLanguage('ar');
    expect(document.documentElement.dir).toBe('rtl');
    expect([0, 1, 2, 3, 11].map((count) => t('viewer.viewers', { count })).join('')).toBe('zotfm');
    await chooseLanguage('en');
    expect(document.documentElement.dir).toBe('ltr');
  });
});

describe('the translator', () => {
  beforeEach(async () => {
    localStorage.clear();
    await startI18n({ en: () => en, de: () => de });
  });

  test('chooses the first language of the person that we speak', () => {
    expect(preferredLanguage(['pl-PL', 'de-AT', 'en'])).toBe('de');
    expect(preferredLanguage(['pl', 'ja'])).toBe('en');
    expect(preferredLanguage(['ar-EG', 'en'])).toBe('ar');
  });

  test('fills placeholders and counts in the language', async () => {
    expect(t('viewer.offline.title', { name: 'Brook' })).toBe('Brook is offline');
    expect(t('viewer.viewers', { count: 1 })).toBe('1 viewer');
    expect(t('viewer.viewers', { count: 12345 })).toBe('12,345 viewers');
    await chooseLanguage('de');
    expect(t('viewer.viewers', { count: 12345 })).toBe('12.345 Zuschauer');
  });

  test('leaves text in braces alone when nobody gave a value for it', () => {
    expect(t('viewer.offline.title')).toBe('{name} is offline');
  });

  test('remembers a choice for the next visit', async () => {
    await chooseLanguage('de');
    await startI18n({ en: () => en, de: () => de });
    expect(language()).toBe('de');
    expect(document.documentElement.lang).toBe('de');
  });

  test('stays English when the other language cannot be loaded', async () => {
    await startI18n({ en: () => en, de: () => Promise.reject(new Error('offline')) });
    await chooseLanguage('de');
    expect(language()).toBe('en');
    expect(t('common.offline')).toBe('Offline');
  });

  test('what is fetched later speaks the language of the page, now and after a change', async () => {
    await addTexts({ en: () => enFediverse, de: () => deFediverse });
    expect(translate('follow.go')).toBe(enFediverse['follow.go']);
    await chooseLanguage('de');
    expect(translate('follow.go')).toBe(deFediverse['follow.go']);
    expect(t('common.close')).toBe('Schließen');
  });

  test('speaks of times in the largest unit that fits', () => {
    const now = '2026-01-02T12:00:00Z';
    expect(relativeTime('2026-01-02T09:00:00Z', now)).toBe('3 hours ago');
    expect(relativeTime('2026-01-01T10:00:00Z', now)).toBe('yesterday');
    expect(relativeTime('2026-01-02T12:00:30Z', now)).toBe('now');
    expect(duration('2026-01-02T11:48:00Z', now)).toBe('12 minutes');
  });

  test.each([
    ['2026-01-02T12:00:00Z', '0:00'],
    ['2026-01-02T11:59:55Z', '0:05'],
    ['2026-01-02T11:48:09Z', '11:51'],
    ['2026-01-02T10:57:27Z', '1:02:33'],
    ['2026-01-02T12:00:09Z', '0:00'],
  ])('a stopwatch started at %s shows %s at noon', (start, shown) => {
    expect(stopwatch(start, '2026-01-02T12:00:00Z')).toBe(shown);
  });

  test('bitrates are told in the unit people set them in', () => {
    expect(bitrate(640.4)).toBe('640 kbit/s');
    expect(bitrate(6020)).toBe('6 Mbit/s');
    expect(bitrate(2540)).toBe('2.5 Mbit/s');
  });
});

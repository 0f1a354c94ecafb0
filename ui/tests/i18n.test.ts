import { beforeEach, describe, expect, test } from 'vitest';
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
import { bitrate, duration, relativeTime, stopwatch } from '../src/i18n/format.ts';
import {
  addTexts,
  chooseLanguage,
  LANGUAGES,
  language,
  type Message,
  offered,
  preferredLanguage,
  startI18n,
  t,
  translate,
  translations,
} from '../src/i18n/index.ts';

const source: Record<string, Message> = { ...en, ...enFediverse, ...enModeration, ...enShare, ...enSaid, ...enAdmin };
const german: Record<string, Message> = { ...de, ...deFediverse, ...deModeration, ...deShare, ...deSaid, ...deAdmin };

/** Every catalogue in the folder, by language and area: what a page would fetch. */
const files = import.meta.glob<Record<string, Record<string, Message>>>('../src/i18n/??{,.*}.ts', { eager: true });

function catalogueOf(tag: string): Record<string, Message> {
  const mine = Object.entries(files).filter(([path]) => path.split('/').at(-1)?.split('.')[0] === tag);
  return Object.assign({}, ...mine.flatMap(([, module]) => Object.values(module)));
}

const textsOf = (message: Message | undefined): string[] =>
  typeof message === 'string' ? [message] : [message?.one ?? '', message?.other ?? ''];
const placeholdersOf = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').sort();

describe('the catalogues', () => {
  test('German has exactly the keys of English', () => {
    expect(Object.keys(german).sort()).toEqual(Object.keys(source).sort());
  });

  test.each(Object.keys(source))('%s is written in both and keeps its placeholders', (key) => {
    const english = textsOf(source[key]);
    const translated = textsOf(german[key]);
    expect(translated.length).toBe(english.length);
    for (const [index, text] of translated.entries()) {
      expect(text.trim()).not.toBe('');
      expect(placeholdersOf(text)).toEqual(placeholdersOf(english[index] ?? ''));
    }
  });
});

describe('the languages', () => {
  test.each(offered())('%s is offered and has every text', (tag) => {
    expect(Object.keys(catalogueOf(tag)).sort()).toEqual(Object.keys(source).sort());
  });

  test.each(offered())('%s has the forms that it counts in, and the gaps of English', (tag) => {
    const forms = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
    for (const [key, message] of Object.entries(catalogueOf(tag))) {
      const asked = source[key];
      expect(typeof message, key).toBe(typeof asked);
      if (typeof message !== 'string') expect(Object.keys(message).sort(), key).toEqual([...forms].sort());
      const gaps = new Set(textsOf(asked).flatMap(placeholdersOf));
      for (const text of textsOf(message)) {
        expect(text.trim(), key).not.toBe('');
        for (const gap of placeholdersOf(text)) expect(gaps, key).toContain(gap);
      }
    }
  });

  test('one that is not complete is neither listed nor chosen', () => {
    expect(offered()).toEqual(['en', 'de']);
    expect(preferredLanguage(['ar', 'fr-CA', 'de'])).toBe('de');
    expect(LANGUAGES.ar.direction).toBe('rtl');
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
    LANGUAGES.ar.state = 'unread';
    try {
      const few = { zero: 'z', one: 'o', two: 't', few: 'f', many: 'm', other: '{count}' };
      await startI18n({ en: () => en, ar: () => ({ ...en, 'viewer.viewers': few }) });
      await chooseLanguage('ar');
      expect(document.documentElement.dir).toBe('rtl');
      expect([0, 1, 2, 3, 11].map((count) => t('viewer.viewers', { count })).join('')).toBe('zotfm');
      await chooseLanguage('en');
      expect(document.documentElement.dir).toBe('ltr');
    } finally {
      LANGUAGES.ar.state = 'incomplete';
    }
  });
});

describe('the translator', () => {
  beforeEach(async () => {
    localStorage.clear();
    await startI18n({ en: () => en, de: () => de });
  });

  test('chooses the first language of the person that we speak', () => {
    expect(preferredLanguage(['fr-FR', 'de-AT', 'en'])).toBe('de');
    expect(preferredLanguage(['fr', 'ja'])).toBe('en');
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

// What the server says by code is said by the pages in every language they offer.
import { beforeEach, describe, expect, test } from 'vitest';
import { deAdmin } from '../src/i18n/de.admin.ts';
import { deSaid } from '../src/i18n/de.said.ts';
import { de } from '../src/i18n/de.ts';
import { enAdmin } from '../src/i18n/en.admin.ts';
import { enSaid } from '../src/i18n/en.said.ts';
import { en } from '../src/i18n/en.ts';
import { chooseLanguage, offered, startI18n } from '../src/i18n/index.ts';
import { said, wordsFor } from '../src/i18n/said.ts';
import { catalogueOf, formsOf, gapsOf } from './catalogues.ts';

type Sentences = Record<'chat' | 'encoders' | 'errors' | 'findings' | 'settings', Record<string, string>>;
// Not as an import: the file is outside the folder that Vite serves, and the types of node are not there.
const fs = 'node:fs';
const { readFileSync } = (await import(/* @vite-ignore */ fs)) as {
  readFileSync: (path: string, as: 'utf8') => string;
};
const sentences: Sentences = JSON.parse(readFileSync('../docs/sentences.json', 'utf8'));
const codes = Object.entries(Object.assign({}, ...Object.values(sentences)) as Record<string, string>);
/** What a page may write in the gaps: what the server sends, and what said.ts makes of it. */
function known(code: string, sentence: string): string[] {
  const sent = gapsOf(sentence);
  const made = sent.some((gap) => ['seconds', 'frames'].includes(gap)) ? ['count'] : [];
  return [...sent, ...made, ...(code === 'timeout-begins' ? ['duration'] : [])];
}

describe('the sentences of the server', () => {
  test.each(offered())('all have a text in %s, with gaps that the server fills', (tag) => {
    const catalogue = catalogueOf(tag);
    const faults = codes.flatMap(([code, sentence]) => {
      const forms = formsOf(catalogue[`said.${code}`]);
      const wrong = forms.flatMap(gapsOf).filter((gap) => !known(code, sentence).includes(gap));
      return [...(forms.length > 0 ? [] : [`${code} is missing`]), ...wrong.map((gap) => `${code}: {${gap}}`)];
    });
    expect(faults).toEqual([]);
  });

  test.each(offered())('there is no text in %s for what the server never says', (tag) => {
    const all = new Set(codes.map(([code]) => code));
    const keys = Object.keys(catalogueOf(tag)).filter((key) => key.startsWith('said.'));
    expect(keys.filter((key) => !all.has(key.slice('said.'.length).split('/')[0] ?? ''))).toEqual([]);
  });

  test('a sentence that viewers read in English is the one the server sends', () => {
    const differs = Object.entries(enSaid).filter(([key, message]) => {
      const sentence = codes.find(([code]) => `said.${code}` === key)?.[1] ?? '';
      const asSent = (text: string) => text.replace('{count}', '{seconds}').replace('{duration}', '{length}');
      return !formsOf(message).some((text) => text === sentence || asSent(text) === sentence);
    });
    expect(differs).toEqual([]);
  });
});

describe('saying them', () => {
  beforeEach(async () => {
    localStorage.clear();
    await startI18n({
      en: () => ({ ...en, ...enSaid, ...enAdmin }),
      de: () => ({ ...de, ...deSaid, ...deAdmin }),
    });
  });

  test('a known code is said in the language of the page, and counted in it', async () => {
    await chooseLanguage('de');
    const waiting = (seconds: number) => said({ code: 'slow-mode', params: { seconds } }, 'Slow mode');
    expect(waiting(1)).toBe('Der langsame Modus ist an: Warte bitte 1 Sekunde.');
    expect(waiting(9)).toBe('Der langsame Modus ist an: Warte bitte 9 Sekunden.');
  });

  test.each([
    [600, '10 minutes'],
    [90, '90 seconds'],
    [3600, '1 hour'],
  ])('%i seconds of timeout are %s', (seconds, length) => {
    const params = { seconds, length: 'x', reason: 'spam' };
    expect(said({ code: 'timeout-begins', params }, '')).toBe(
      `A moderator has timed you out for ${length}. Reason: spam`,
    );
  });

  test('what has no code, or a newer one, is shown as the server said it', () => {
    expect(said({}, 'As it is.')).toBe('As it is.');
    expect(said({ code: 'from-tomorrow', params: {} }, 'As it is.')).toBe('As it is.');
    expect(wordsFor({ code: 'from-tomorrow' })).toBeUndefined();
  });

  test('a setting may have words of its own', () => {
    const empty = (setting: string) => said({ code: 'setting-empty', params: { setting } }, '');
    expect(empty('name')).toBe('Enter a name.');
    expect(empty('streamtitle')).toBe('Fill this in; it cannot be empty.');
  });
});

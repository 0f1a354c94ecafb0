// One thing, one name: docs/words.md as a test. A word that is meant after all gets an exception with its key.
import { describe, expect, test } from 'vitest';
import { type Catalogue, offered } from '../src/i18n/index.ts';
import { catalogueOf, formsOf } from './catalogues.ts';
import { FORBIDDEN, type Forbidden } from './forbidden-words.ts';

/** Words the search of the admin pages may find things by. */
const SEARCHED = /^about\./;

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
    const users = FORBIDDEN.en.find(({ better }) => better.startsWith('chatter, viewer')) as Forbidden;
    expect(offences(guilty, users)).toEqual(['chat.x: One user']);
  });
});

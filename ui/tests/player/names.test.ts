import { afterEach, expect, test, vi } from 'vitest';
import type { Quality } from '../../src/viewer/player/engine.ts';
import { askVariants, isMissingSome, withNames } from '../../src/viewer/player/names.ts';
import { answerWith } from '../helpers.ts';

afterEach(() => vi.unstubAllGlobals());

const LADDER: Quality[] = [
  { id: 0, height: 480, kbps: 1300 },
  { id: 1, height: 1080, kbps: 5100 },
  { id: 2, height: 1080, kbps: 6000 },
  { id: 3, height: 0, kbps: 128 },
];
const VARIANTS = [
  { name: 'Source', index: 0, height: 1080 },
  { name: 'Sharp', index: 2, height: 1080, kbps: 5000 },
  { name: 'On the train', index: 1, height: 480, kbps: 1200 },
];
const namesOf = (qualities: Quality[]) => qualities.map((quality) => quality.name);

test('qualities are called what the operator calls them, also where two have the same height', () => {
  expect(namesOf(withNames(LADDER, VARIANTS))).toEqual(['On the train', 'Sharp', 'Source', undefined]);
});

test('a quality nobody named is called by its height, not as the server calls it for programs', () => {
  expect(namesOf(withNames(LADDER.slice(0, 1), [{ name: '480h', height: 480, kbps: 1200 }]))).toEqual([undefined]);
});

test('where one of two is missing nobody can tell which it is', () => {
  expect(namesOf(withNames(LADDER.slice(0, 2), VARIANTS))).toEqual(['On the train', undefined]);
});

test('a server that knows no sizes gives no names', () => {
  expect(namesOf(withNames(LADDER, [{ name: 'Source' }]))).toEqual([undefined, undefined, undefined, undefined]);
});

test('without an answer the menu works on', async () => {
  vi.stubGlobal('fetch', answerWith({}).fakeFetch);
  expect(await askVariants()).toEqual([]);
  vi.stubGlobal('fetch', answerWith({ 'GET /api/video/variants': { body: VARIANTS } }).fakeFetch);
  expect(await askVariants()).toEqual(VARIANTS);
});

test('qualities are missing while fewer pictures are listed than the server means to offer', () => {
  expect(isMissingSome(LADDER.slice(0, 2), VARIANTS)).toBe(true);
  expect(isMissingSome(LADDER.slice(0, 3), VARIANTS)).toBe(false);
  expect(isMissingSome(LADDER.slice(0, 2), [])).toBe(false);
  expect(isMissingSome(LADDER.slice(3), VARIANTS)).toBe(false);
});

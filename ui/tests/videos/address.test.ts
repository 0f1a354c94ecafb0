import { describe, expect, test } from 'vitest';
import { searchAddress, searchOf, startOf } from '../../src/viewer/videos/address.ts';
import { framedVideo, videosRoute } from '../../src/viewer/videos/route.ts';
import { clockOf, spokenDuration } from '../../src/viewer/videos/times.ts';
import { chapterAt, chaptersIn, isWorthListing } from '../../src/viewer/videos/watch/chapters.ts';
import { speakEnglish } from '../helpers.ts';

const ID = '0123456789abcdef';

describe('the addresses of past streams', () => {
  test('lead to the list, to one of them, or to another page', () => {
    expect(videosRoute('/videos')).toEqual({ page: 'list' });
    expect(videosRoute('/videos/')).toEqual({ page: 'list' });
    expect(videosRoute(`/videos/${ID}`)).toEqual({ page: 'video', id: ID });
    for (const other of ['/', '/videosx', '/admin/videos']) expect(videosRoute(other)).toBeUndefined();
  });

  test.each(['..', 'ABCDEF0123456789', `${ID}0`, `${ID}/x`, '%2e%2e'])('%s is the id of none', (text) => {
    expect(videosRoute(`/videos/${text}`)).toEqual({ page: 'video', id: undefined });
    expect(framedVideo(`/embed/video/${text}`)).toEqual({ id: undefined });
  });

  test('a frame without an id is that of the stream', () => {
    expect(framedVideo('/embed/video')).toBeUndefined();
    expect(framedVideo('/embed/video/')).toBeUndefined();
    expect(framedVideo(`/embed/video/${ID}`)).toEqual({ id: ID });
  });

  test('a search is the same after it was written into the address', () => {
    for (const search of [
      { words: '', tag: '', page: 1 },
      { words: 'cat & dog', tag: 'größe', page: 3 },
      { words: 'قطة', tag: '', page: 1 },
    ]) {
      expect(searchOf(new URL(searchAddress(search), 'http://x/').search)).toEqual(search);
    }
    expect(searchAddress({ words: '', tag: '', page: 1 })).toBe('/videos');
  });

  test.each(['0', '-1', '1.5', 'x', '1e99', ''])('page %s is the first one', (page) => {
    expect(searchOf(`?page=${page}`).page).toBe(1);
  });

  test.each([
    ['?t=90', 90],
    ['?t=90s', 90],
    ['?t=1m30s', 90],
    ['?t=1h2m', 3720],
    ['?t=0', undefined],
    ['?t=-5', undefined],
    ['?t=soon', undefined],
    ['?t=9999999999999999999999', undefined],
    ['', undefined],
  ])('%s begins at %s', (query, start) => expect(startOf(query)).toBe(start));
});

describe('times', () => {
  test('are told as people read them', async () => {
    await speakEnglish();
    expect(clockOf(3753.9)).toBe('1:02:33');
    expect(clockOf(-3)).toBe('0:00');
    expect(spokenDuration(3753)).toBe('1 hour, 2 minutes');
    expect(spokenDuration(3600)).toBe('1 hour');
    expect(spokenDuration(125)).toBe('2 minutes');
    expect(spokenDuration(42.4)).toBe('42 seconds');
    expect(spokenDuration(0)).toBe('0 seconds');
  });
});

describe('chapters', () => {
  const chapter = (at: number, title = `at ${at}`) => ({ at, title, kind: 'mark' as const });

  test('are in order and inside the video, the later of two at one place', () => {
    const shown = chaptersIn([chapter(50), chapter(-1, 'first'), chapter(20, 'a'), chapter(20, 'b'), chapter(99)], 60);
    expect(shown.map(({ at, title }) => [at, title])).toEqual([
      [0, 'first'],
      [20, 'b'],
      [50, 'at 50'],
    ]);
  });

  test('one that begins with the video says nothing that its title does not', () => {
    expect(isWorthListing([])).toBe(false);
    expect(isWorthListing([chapter(0)])).toBe(false);
    expect(isWorthListing([chapter(7)])).toBe(true);
    expect(isWorthListing([chapter(0), chapter(7)])).toBe(true);
  });

  test('the one that is on is the last that has begun', () => {
    const chapters = [chapter(10), chapter(20)];
    expect([0, 10, 19.9, 20, 500].map((at) => chapterAt(chapters, at))).toEqual([-1, 0, 0, 1, 1]);
  });
});

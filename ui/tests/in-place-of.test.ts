// @vitest-environment node
import { expect, test } from 'vitest';
import { inPlaceOf } from '../in-place-of.ts';

/** As a build goes; returns what it complains about. */
function build(asked: string[], command = 'build'): string[] {
  const { configResolved, resolveId, buildEnd } = inPlaceOf(
    new Set(['./one', './two']),
    '/absent.ts',
    (_source, importer) => importer.startsWith('/hls.js/'),
  ) as unknown as Record<string, (...all: unknown[]) => unknown>;
  configResolved?.({ command });
  for (const source of asked) expect(resolveId?.(source, '/hls.js/src/hls.ts')).toBe('/absent.ts');
  expect(resolveId?.('./two', '/elsewhere.ts')).toBeUndefined();
  expect(resolveId?.('./three', '/hls.js/src/hls.ts')).toBeUndefined();
  const complaints: string[] = [];
  buildEnd?.call({ error: (text: string) => complaints.push(text) });
  return complaints;
}

test('a build fails when a module that is left out is not asked for any more', () => {
  expect(build(['./one', './two'])).toEqual([]);
  expect(build(['./one'])).toEqual(['nothing asks for ./two any more']);
  // A server for developers resolves what a page asks for, and no more.
  expect(build([], 'serve')).toEqual([]);
});

/**
 * Puts one module in the place of others. One of these that nobody asks for has another name by now, or is gone: without
 * a word it would be part of the page again.
 */
import type { Plugin } from 'vite';

export function inPlaceOf(
  modules: Set<string>,
  instead: string,
  isMeant: (source: string, importer: string) => boolean,
): Plugin {
  const missed = new Set(modules);
  let isBuild = false;
  return {
    name: 'rillcast-in-place-of',
    enforce: 'pre',
    configResolved: ({ command }) => {
      isBuild = command === 'build';
    },
    resolveId: (source, importer) => {
      if (!importer || !modules.has(source) || !isMeant(source, importer)) return undefined;
      missed.delete(source);
      return instead;
    },
    buildEnd(problem) {
      if (isBuild && !problem && missed.size > 0) this.error(`nothing asks for ${[...missed].join(', ')} any more`);
    },
  };
}

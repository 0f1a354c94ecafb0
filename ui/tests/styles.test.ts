// @vitest-environment node
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const VIEWER = fileURLToPath(new URL('../src/viewer', import.meta.url));
const sheets = readdirSync(VIEWER, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.css'))
  .map((path) => ({ path, text: readFileSync(`${VIEWER}/${path}`, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '') }));

/** What every dialog may have; design/surfaces.css says how it looks. */
const SHARED = /^(?:\.dialog(?:-actions)?|\.field(?:-label|-help|-error)?|\.copy-field|\.stack|\.input)(?::[\w-]+)?$/;

test('a style sheet that is fetched with one dialog does not change the others', () => {
  const leaks = sheets.flatMap(({ path, text }) =>
    [...text.matchAll(/([^{}]+)\{/g)]
      .flatMap(([, selectors]) => (selectors ?? '').split(','))
      .map((selector) => selector.trim())
      .map((selector) => selector.replace(/^#modal-container\s+/, ''))
      .filter((selector) => selector.split(/[\s>+~]+/).every((part) => SHARED.test(part)))
      .map((selector) => `${path}: ${selector}`),
  );
  expect(sheets.length).toBeGreaterThan(10);
  expect(leaks).toEqual([]);
});

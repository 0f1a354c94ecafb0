// @vitest-environment node
import { expect, test } from 'vitest';

const files = import.meta.glob<string>('../src/viewer/**/*.css', { query: '?raw', import: 'default', eager: true });
const sheets = Object.entries(files).map(([path, text]) => ({ path, text: text.replaceAll(/\/\*[\s\S]*?\*\//g, '') }));

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
  expect(sheets.filter(({ text }) => text.includes('@layer')).length).toBeGreaterThan(10);
  expect(leaks).toEqual([]);
});

test('what is above the tabs stays where it is, whichever of them is in front', () => {
  const layout = sheets.find(({ path }) => path.endsWith('/layout.css'))?.text ?? '';
  const moved = [...layout.matchAll(/([^{}]+)\{([^{}]*)\}/g)].filter(
    ([, selector, rules]) => /data-chat[^,]*\.stage(?![\w-])/.test(selector ?? '') && /padding/.test(rules ?? ''),
  );
  expect(layout).toContain('[data-chat="shown"] .stage');
  expect(moved).toEqual([]);
});

test('what opens in the chat fits above the keyboard of a phone on its side', () => {
  const composer = sheets.find(({ path }) => path.endsWith('/composer.css'))?.text ?? '';
  for (const part of ['.chat-grow', '.chat-completion', '.chat-picker']) {
    const rules = [...composer.matchAll(/([^{}]+)\{([^{}]*)\}/g)].filter(([, selector]) => selector?.trim() === part);
    expect(rules.some(([, , rule]) => /height: [^;]*var\(--visible-height/.test(rule ?? ''))).toBe(true);
  }
});

test('a long word does not make a dialog wider', () => {
  const surfaces = Object.values(
    import.meta.glob<string>('../src/design/surfaces.css', { query: '?raw', import: 'default', eager: true }),
  ).join();
  expect(surfaces.match(/\.dialog \{([^}]*)\}/)?.[1]).toContain('overflow-wrap: anywhere');
});

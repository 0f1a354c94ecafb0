// The pages run either way: styles speak of start and end. What means left or right says why, in a comment above it.
import { describe, expect, test } from 'vitest';

// Not as an import: the tests leave style sheets out, and the types of node are not there.
const fs = 'node:fs';
const { readdirSync, readFileSync } = (await import(/* @vite-ignore */ fs)) as {
  readdirSync: (path: string, how: { recursive: true; encoding: 'utf8' }) => string[];
  readFileSync: (path: string, as: 'utf8') => string;
};
const sheets = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.css'))
  .map((path) => ({ path, text: readFileSync(`src/${path}`, 'utf8') }));

const PHYSICAL = [
  /^(left|right|(margin|padding|border|scroll-margin|scroll-padding)-(left|right)(-\w+)?):/,
  /^border-(top|bottom)-(left|right)-radius:/,
  /^(text-align|float|clear|caption-side|justify-\w+):.*\b(left|right)\b/,
  /^transform:.*\btranslateX\(|^translate: *-?[1-9.]/,
  /\bto (left|right)\b/,
];

/** Four lengths whose second and fourth differ: right and left. */
function isUneven(declaration: string): boolean {
  const [, value = ''] = /^(?:padding|margin|inset|border-width|scroll-\w+): *(.+);$/.exec(declaration) ?? [];
  const lengths = value.match(/[\w-]+\([^()]*(?:\([^()]*\)[^()]*)*\)|[^\s]+/g) ?? [];
  return lengths.length === 4 && lengths[1] !== lengths[3];
}

/** Lines that mean left or right without a comment on the line above them, or above their rule. */
function unexplained(sheet: string): string[] {
  const lines = sheet.split('\n').map((line) => line.trim());
  let isRuleExplained = false;
  return lines.filter((line, index) => {
    const isExplained = (lines[index - 1] ?? '').endsWith('*/');
    if (line.endsWith('{')) isRuleExplained = isExplained;
    if (line === '}') isRuleExplained = false;
    const isPhysical = PHYSICAL.some((one) => one.test(line)) || isUneven(line);
    return isPhysical && !line.startsWith('/*') && !line.startsWith('*') && !isExplained && !isRuleExplained;
  });
}

describe('the styles', () => {
  test('there are some to look at', () => {
    expect(sheets.length).toBeGreaterThan(40);
  });

  test('speak of start and end, and of left and right only with a reason', () => {
    expect(sheets.flatMap(({ path, text }) => unexplained(text).map((line) => `${path}: ${line}`))).toEqual([]);
  });

  test('left and right are found, unless a comment says why', () => {
    const rule = (...lines: string[]) => ['.a {', ...lines, '}'].join('\n');
    for (const line of [
      'left: 0;',
      'margin-left: auto;',
      'border-top-left-radius: 4px;',
      'text-align: right;',
      'transform: translateX(4px);',
      'translate: -1rem 0;',
      'background: linear-gradient(to right, red, blue);',
      'padding: 0 1px 0 2px;',
      'padding: 0 var(--a) 0 calc(1px + (2px));',
    ]) {
      expect(unexplained(rule(line)), line).toEqual([line]);
      expect(unexplained(rule('/* A picture. */', line)), line).toEqual([]);
      expect(unexplained(`/* A picture. */\n${rule(line)}`), line).toEqual([]);
    }
    for (const line of [
      'inset-inline-start: 0;',
      'text-align: start;',
      'translate: 0 4px;',
      'padding: 0 1px 2px 1px;',
      'color: var(--left);',
    ]) {
      expect(unexplained(rule(line)), line).toEqual([]);
    }
  });
});

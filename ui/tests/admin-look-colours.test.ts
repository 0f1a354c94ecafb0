import { describe, expect, test } from 'vitest';
import { contrast, cssOf, hexOf, oklch, pairOf, READABLE, shownRatio } from '../src/admin/look/colours.ts';
import { COLOURS, colourIn, hasPickers, lowestContrast } from '../src/admin/look/palette.ts';
import { PRESET_NAMES, presetLook } from '../src/admin/look/presets.ts';
import sheet from '../src/design/tokens.css?raw';

describe('a colour', () => {
  test.each([
    ['#ABC', '#aabbcc'],
    [' #0A6a70 ', '#0a6a70'],
    ['teal', undefined],
    ['#12345', undefined],
  ])('%j is %j', (text, hex) => {
    expect(hexOf(text)).toBe(hex);
  });

  test.each([
    ['#fff', { light: '#ffffff', dark: '#ffffff' }],
    ['light-dark(#ffffff, #112328)', { light: '#ffffff', dark: '#112328' }],
    ['light-dark(#fff,#000)', { light: '#ffffff', dark: '#000000' }],
    ['light-dark(white, #000)', undefined],
    ['color-mix(in srgb, #fff, #000)', undefined],
  ])('the value %j is %j', (value, pair) => {
    expect(pairOf(value)).toEqual(pair);
    if (pair) expect(pairOf(cssOf(pair))).toEqual(pair);
  });

  test('has the contrast of the definition', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#ffffff', '#ffffff')).toBe(1);
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
    expect(contrast('#ffffff', '#777777')).toBeCloseTo(4.48, 2);
    expect(shownRatio(4.499)).toBe(4.4);
  });

  test('of the Oklab space is the one of other programs, and greyer where screens have none', () => {
    expect(oklch(1, 0, 0)).toBe('#ffffff');
    expect(oklch(0, 0, 0)).toBe('#000000');
    expect(oklch(0.627955, 0.2576, 29.234)).toMatch(/^#f[ef]0[0-5]0[0-5]$/);
    expect(oklch(0.5, 0.5, 150)).toMatch(/^#[0-9a-f]{6}$/);
  });
});

describe('the named colours', () => {
  test('are without a change what the style sheet says', () => {
    for (const { variable, standard } of COLOURS) {
      const value = new RegExp(`${variable}: ([^;]+);`).exec(sheet)?.[1] ?? '';
      expect([variable, pairOf(value)]).toEqual([variable, standard]);
    }
  });

  test('can be read on what they are written on', () => {
    for (const named of COLOURS) {
      for (const scheme of ['light', 'dark'] as const) {
        const ratio = lowestContrast({}, named, scheme);
        if (ratio !== undefined)
          expect([named.variable, scheme, ratio >= READABLE]).toEqual([named.variable, scheme, true]);
      }
    }
  });

  test('that are set to something else than two colours are left to their authors', () => {
    const look = { '--theme-color-text': 'var(--mine)', '--theme-color-action': '#123456', '--mine': '#fff' };
    expect(colourIn(look, '--theme-color-text')).toBeUndefined();
    expect(colourIn(look, '--theme-color-action')).toEqual({ light: '#123456', dark: '#123456' });
    expect(Object.entries(look).filter(([name, value]) => hasPickers(name, value))).toHaveLength(1);
    const text = COLOURS.find(({ variable }) => variable === '--theme-color-text');
    expect(text && lowestContrast(look, text, 'light')).toBeUndefined();
  });
});

test.each(PRESET_NAMES)('everything can be read in the preset %s', (name) => {
  const look = presetLook(name);
  for (const named of COLOURS) {
    for (const scheme of ['light', 'dark'] as const) {
      const ratio = lowestContrast(look, named, scheme);
      if (ratio !== undefined)
        expect([named.variable, scheme, ratio >= READABLE, ratio]).toEqual([named.variable, scheme, true, ratio]);
    }
  }
});

test('every colour of a preset has pickers', () => {
  const pickers = new Set(COLOURS.map(({ variable }) => variable));
  expect(Object.keys(presetLook('dusk')).filter((variable) => !pickers.has(variable))).toEqual([]);
});

test('every preset is a look of its own', () => {
  const looks = PRESET_NAMES.map((name) => JSON.stringify(presetLook(name)));
  expect(new Set(looks).size).toBe(PRESET_NAMES.length);
  // What the server takes.
  for (const value of Object.values(presetLook('dusk'))) expect(value.length).toBeLessThanOrEqual(200);
});

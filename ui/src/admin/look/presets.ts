/** Looks to start from: the same steps of lightness for each, with another hue, so that all are equally readable. */
import { cssOf, oklch } from './colours.ts';
import type { Look } from './palette.ts';

export const PRESET_NAMES = ['river', 'ember', 'forest', 'sky', 'dusk', 'ink'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

interface Recipe {
  hue: number;
  /** How colourful what one presses is, from 0 to 1. */
  action: number;
  /** And how much of the hue is in everything else. */
  tint: number;
}

const RECIPES: Record<Exclude<PresetName, 'river'>, Recipe> = {
  ember: { hue: 45, action: 1, tint: 1 },
  forest: { hue: 150, action: 0.9, tint: 1 },
  sky: { hue: 255, action: 1.1, tint: 1 },
  dusk: { hue: 305, action: 1.1, tint: 1 },
  ink: { hue: 0, action: 0, tint: 0 },
};

/** Lightness and chroma, in light and in dark; `strong` chroma is that of actions. */
const STEPS: readonly (readonly [
  name: string,
  light: readonly [lightness: number, chroma: number],
  dark: readonly [lightness: number, chroma: number],
  strength?: 'strong',
])[] = [
  ['background-main', [0.972, 0.007], [0.19, 0.018]],
  ['background-header', [0.988, 0.004], [0.215, 0.02]],
  ['surface', [1, 0], [0.24, 0.022]],
  ['surface-sunken', [0.952, 0.01], [0.208, 0.02]],
  ['border', [0.895, 0.015], [0.33, 0.026]],
  ['border-strong', [0.655, 0.025], [0.58, 0.03]],
  ['text', [0.26, 0.028], [0.945, 0.01]],
  ['text-muted', [0.475, 0.028], [0.765, 0.022]],
  ['action', [0.47, 0.12], [0.79, 0.11], 'strong'],
  ['action-hover', [0.4, 0.11], [0.86, 0.085], 'strong'],
  ['action-text', [1, 0], [0.23, 0.04], 'strong'],
  ['action-soft', [0.935, 0.03], [0.315, 0.045], 'strong'],
  ['focus', [0.47, 0.12], [0.85, 0.1], 'strong'],
  ['deep-top', [0.33, 0.06], [0.34, 0.055]],
  ['deep-bottom', [0.24, 0.045], [0.25, 0.04]],
  ['deep-text', [0.96, 0.012], [0.96, 0.012]],
  ['deep-muted', [0.82, 0.03], [0.82, 0.03]],
  ['deep-line', [0.79, 0.1], [0.79, 0.1], 'strong'],
];

/** The variables of a preset; none for the look the page comes with. */
export function presetLook(name: PresetName): Look {
  if (name === 'river') return {};
  const recipe = RECIPES[name];
  return Object.fromEntries(
    STEPS.map(([step, light, dark, strength]) => {
      const share = strength ? recipe.action : recipe.tint;
      const of = ([lightness, chroma]: readonly [number, number]) => oklch(lightness, chroma * share, recipe.hue);
      return [`--theme-color-${step}`, cssOf({ light: of(light), dark: of(dark) })];
    }),
  );
}

/** All variables that any preset sets; another preset takes them back. */
export const PRESET_VARIABLES: ReadonlySet<string> = new Set(STEPS.map(([step]) => `--theme-color-${step}`));

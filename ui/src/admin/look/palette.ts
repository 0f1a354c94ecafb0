/** The colours that have a name here, with what they are without a change and what they must be readable on. */
import type { AdminKey } from '../../i18n/admin.ts';
import { contrast, type Pair, pairOf, type Scheme } from './colours.ts';

export interface NamedColour {
  variable: string;
  label: AdminKey;
  standard: Pair;
  /** Variables of the colours it is written on. */
  on: readonly string[];
}

export interface ColourGroup {
  title: AdminKey;
  /** Shown only on demand. */
  isFolded?: boolean;
  colours: NamedColour[];
}

const MAIN = '--theme-color-background-main';
const HEADER = '--theme-color-background-header';
const SURFACE = '--theme-color-surface';
const SUNKEN = '--theme-color-surface-sunken';
const ACTION = '--theme-color-action';
const SOFT = '--theme-color-action-soft';
const LIVE = '--theme-color-live';
const DEEP = ['--theme-color-deep-top', '--theme-color-deep-bottom'];

const colour = (name: string, light: string, dark: string, on: readonly string[] = []): NamedColour => ({
  variable: `--theme-color-${name}`,
  label: `look.colour.${name}` as AdminKey,
  standard: { light, dark },
  on,
});

/** The colours of chat names, in light and dark; the same as in tokens.css, as all of these. */
const NAMES: readonly (readonly [light: string, dark: string])[] = [
  ['#a33b20', '#f09a80'],
  ['#85570a', '#e0b25c'],
  ['#4f6b12', '#b3cc66'],
  ['#1c7041', '#77d29b'],
  ['#0b6b78', '#64cfdc'],
  ['#2b5fae', '#8fb8f5'],
  ['#7347ad', '#c2a4f0'],
  ['#a5336f', '#f095c0'],
];

export const GROUPS: ColourGroup[] = [
  {
    title: 'look.group.page',
    colours: [
      colour('background-main', '#f3f7f6', '#0a1619'),
      colour('background-header', '#fbfdfc', '#0d1c20'),
      colour('surface', '#ffffff', '#112328'),
      colour('surface-sunken', '#eaf1f0', '#0c1b1f'),
      colour('border', '#d5e1df', '#21393e'),
      colour('border-strong', '#7f9a99', '#5f7f83'),
      colour('text', '#10292d', '#e4f0ef', [MAIN, HEADER, SURFACE, SUNKEN]),
      colour('text-muted', '#4b6468', '#9db7b8', [MAIN, SURFACE, SUNKEN]),
    ],
  },
  {
    title: 'look.group.action',
    colours: [
      colour('action', '#0a6a70', '#5fcfc6', [MAIN, SURFACE]),
      colour('action-hover', '#07545a', '#8be0d9', [SURFACE, SOFT]),
      colour('action-text', '#ffffff', '#05262a', [ACTION]),
      colour('action-soft', '#dcefed', '#16383c'),
      colour('focus', '#0a6a70', '#7fe0d7'),
    ],
  },
  {
    title: 'look.group.banner',
    colours: [
      colour('deep-top', '#0d3b43', '#103f47'),
      colour('deep-bottom', '#08222b', '#0b242c'),
      colour('deep-text', '#e9f6f4', '#e9f6f4', DEEP),
      colour('deep-muted', '#a9cbc9', '#a9cbc9', DEEP),
      colour('deep-line', '#5fd0c5', '#5fd0c5'),
    ],
  },
  {
    title: 'look.group.live',
    colours: [colour('live', '#bf3325', '#e4604f'), colour('live-text', '#ffffff', '#1c0502', [LIVE])],
  },
  {
    title: 'look.group.names',
    isFolded: true,
    colours: NAMES.map(([light, dark], index) => colour(`users-${index}`, light, dark, [SURFACE])),
  },
];

export const COLOURS: NamedColour[] = GROUPS.flatMap((group) => group.colours);

const BY_VARIABLE = new Map(COLOURS.map((one) => [one.variable, one]));

/** The value of every variable that is not as it comes. */
export type Look = Record<string, string>;

/** The pair in force; undefined where the variable is set to something this editor has no pickers for. */
export function colourIn(look: Look, variable: string): Pair | undefined {
  const value = look[variable];
  return value === undefined ? BY_VARIABLE.get(variable)?.standard : pairOf(value);
}

/** Whether a variable has pickers here, as it is set. */
export const hasPickers = (variable: string, value: string): boolean =>
  BY_VARIABLE.has(variable) && pairOf(value) !== undefined;

/** The lowest contrast of a colour with what it is written on; undefined where that is nothing or unknown. */
export function lowestContrast(look: Look, named: NamedColour, scheme: Scheme): number | undefined {
  const own = colourIn(look, named.variable)?.[scheme];
  if (!own) return undefined;
  const ratios = named.on.flatMap((variable) => {
    const ground = colourIn(look, variable)?.[scheme];
    return ground ? [contrast(own, ground)] : [];
  });
  return ratios.length > 0 ? Math.min(...ratios) : undefined;
}

/** Colours as the look editor needs them: pairs for light and dark, and how well one can be read on the other. */

export type Scheme = 'light' | 'dark';
export type Pair = Record<Scheme, string>;

const HEX = /^#[0-9a-f]{6}$/;
const SHORT_HEX = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/;

/** `#abc` and `#AABBCC` as `#aabbcc`; undefined for anything else. */
export function hexOf(text: string): string | undefined {
  const plain = text.trim().toLowerCase();
  const short = SHORT_HEX.exec(plain);
  if (short)
    return `#${short
      .slice(1)
      .map((digit) => digit + digit)
      .join('')}`;
  return HEX.test(plain) ? plain : undefined;
}

/** The pair a variable's value stands for; undefined where it is more than two plain colours. */
export function pairOf(value: string): Pair | undefined {
  const one = hexOf(value);
  if (one) return { light: one, dark: one };
  const both = /^light-dark\(\s*([^,()]+?)\s*,\s*([^,()]+?)\s*\)$/i.exec(value.trim());
  const light = both?.[1] && hexOf(both[1]);
  const dark = both?.[2] && hexOf(both[2]);
  return light && dark ? { light, dark } : undefined;
}

export const cssOf = ({ light, dark }: Pair): string => (light === dark ? light : `light-dark(${light}, ${dark})`);

export const isSame = (one: Pair, other: Pair): boolean => one.light === other.light && one.dark === other.dark;

/** Red, green and blue from 0 to 1. */
const channelsOf = (hex: string): number[] =>
  [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16) / 255);

const toLinear = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const toGamma = (value: number): number => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);

/** As WCAG defines it. */
export function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(hex).map(toLinear);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** From 1 to 21. */
export function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (high + 0.05) / (low + 0.05);
}

/** What WCAG asks for text of ordinary size. */
export const READABLE = 4.5;

/** Rounded down: 4.49 must not be shown as 4.5. */
export const shownRatio = (ratio: number): number => Math.floor(ratio * 10) / 10;

/**
 * A colour by lightness (0 to 1), chroma and hue in degrees, in the Oklab space: equal lightness looks equally light,
 * whatever the hue. Where the screen has no such colour it becomes greyer, not lighter.
 */
export function oklch(lightness: number, chroma: number, hue: number): string {
  for (let left = chroma; left > 0; left -= 0.004) {
    const hex = fromOklab(lightness, left, hue);
    if (hex) return hex;
  }
  return fromOklab(lightness, 0, hue) ?? '#000000';
}

function fromOklab(lightness: number, chroma: number, hue: number): string | undefined {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channels = [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
  const slack = 0.0005;
  if (channels.some((value) => value < -slack || value > 1 + slack)) return undefined;
  const digits = channels.map((value) => Math.round(toGamma(Math.min(1, Math.max(0, value))) * 255));
  return `#${digits.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** What the server says, in the reader's language: by its code, or as the server said it where the code is not known. */
import { hasText, type Loaders, language, type Params, translate, translations } from './index.ts';

/** A sentence of the server without its words. */
export interface Coded {
  code?: string | undefined;
  params?: Record<string, unknown> | undefined;
}

/** For pages of viewers. In English there is nothing to fetch: the server speaks it. */
export const saidTexts: Loaders = {
  en: () => ({}),
  ...translations(import.meta.glob(['./??.said.ts', '!./en.said.ts'])),
};

/** Undefined for what has no code, or one that these pages do not know. A setting may have words of its own. */
export function wordsFor({ code, params = {} }: Coded): string | undefined {
  const keys = [`said.${code}/${params.setting}`, `said.${code}`];
  const key = code && keys.find(hasText);
  return key ? translate(key, gapsOf(params)) : undefined;
}

/** The same, or the sentence the server sent. */
export function said(coded: Coded, english: string): string {
  return wordsFor(coded) ?? english;
}

/** With what some languages say in other ways: what is counted, and seconds as a length of time. */
function gapsOf(params: Record<string, unknown>): Params {
  const gaps = params as Params;
  const { seconds } = gaps;
  const more: Params = { count: seconds ?? gaps.frames ?? 0 };
  if (seconds) more.duration = lengthOf(Number(seconds));
  return { ...more, ...gaps };
}

/** "10 minutes": in the largest unit that divides it. */
function lengthOf(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds % size === 0) ?? ['second', 1];
  return new Intl.NumberFormat(language(), { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / size);
}

const UNITS: [string, number][] = [
  ['hour', 3600],
  ['minute', 60],
];

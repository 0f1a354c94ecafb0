/** Where the lines of the grid are, and what is written beside them. Knows no DOM. */

/** Steps people count in. A quarter of a hundred is one of them, a quarter of one is not. */
const STEPS = [1, 2, 2.5, 5, 10];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The smallest round step that is not below this. `whole`: between two people there is nobody. */
export function roundStep(least: number, whole: boolean): number {
  if (whole && least <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const fits = (factor: number) => factor * power >= least && !(whole && !Number.isInteger(factor * power));
  // Powers of ten below one are not exact: 0.1 × 3 is not 0.3.
  return Number(((STEPS.find(fits) ?? 10) * power).toPrecision(6));
}

export interface ValueTicksOptions {
  /** About as many above zero. */
  count?: number;
  whole?: boolean;
  /** What one is on the labels: a megabyte, where the values are bytes. */
  unit?: number;
}

/** From zero up; the last one is not below `top`. */
export function valueTicks(top: number, { count = 4, whole = true, unit = 1 }: ValueTicksOptions = {}): number[] {
  const highest = Math.max(top / unit, 0);
  const least = (highest || 1) / count;
  const step = roundStep(least, whole);
  const steps = Math.max(Math.ceil(Number((highest / step).toPrecision(9))), 1);
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(9)) * unit);
}

/** What a tick of time stands for, which is what is written below it. */
export type TimeUnit = 'time' | 'day' | 'month' | 'year';

export interface TimeTick {
  at: number;
  unit: TimeUnit;
}

interface TimeStep {
  /** About. */
  ms: number;
  unit: TimeUnit;
  /** How many minutes, days, months or years. */
  count: number;
}

const minutes = (count: number): TimeStep => ({ ms: count * MINUTE_MS, unit: 'time', count });
const days = (count: number): TimeStep => ({ ms: count * DAY_MS, unit: 'day', count });
const months = (count: number): TimeStep => ({ ms: count * 30.4 * DAY_MS, unit: 'month', count });
const years = (count: number): TimeStep => ({ ms: count * 365 * DAY_MS, unit: 'year', count });

const TIME_STEPS: TimeStep[] = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map(minutes),
  ...[1, 2, 7, 14].map(days),
  ...[1, 3, 6].map(months),
  ...[1, 2, 5, 10].map(years),
];

/** Round times between two moments, on the clock and in the calendar of the person; at most `most` of them. */
export function timeTicks(from: number, to: number, most: number): TimeTick[] {
  if (to <= from) return [];
  const step = TIME_STEPS.find(({ ms }) => (to - from) / ms <= Math.max(most - 1, 1)) ?? years(50);
  const ticks: TimeTick[] = [];
  for (let index = 0; ; index += 1) {
    const at = placeOf(step, new Date(from), index);
    if (at > to) return ticks;
    // Where clocks are put back, an hour is there twice.
    if (at >= from && at > (ticks.at(-1)?.at ?? Number.NEGATIVE_INFINITY)) ticks.push({ at, unit: unitOf(step, at) });
  }
}

/** The one with this number, counted from a round moment not after `from`. */
function placeOf({ unit, count }: TimeStep, from: Date, index: number): number {
  const [year, month, day] = [from.getFullYear(), from.getMonth(), from.getDate()];
  switch (unit) {
    case 'time':
      return new Date(year, month, day, 0, index * count).getTime();
    case 'day':
      return new Date(year, month, (count < 7 ? 1 : day - ((from.getDay() + 6) % 7)) + index * count).getTime();
    case 'month':
      return new Date(year, index * count, 1).getTime();
    case 'year':
      return new Date(Math.floor(year / count) * count + index * count, 0, 1).getTime();
  }
}

/** At midnight the day says more than 00:00, and in January the year more than the month. */
function unitOf({ unit }: TimeStep, at: number): TimeUnit {
  const date = new Date(at);
  if (unit === 'time' && date.getHours() === 0 && date.getMinutes() === 0) return 'day';
  return unit === 'month' && date.getMonth() === 0 ? 'year' : unit;
}

/** The position of the moment nearest to this one in a list from early to late; -1 in an empty one. */
export function nearest(times: number[], at: number): number {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  const before = times[low - 1];
  const after = times[low];
  return before !== undefined && after !== undefined && at - before <= after - at ? low - 1 : high;
}

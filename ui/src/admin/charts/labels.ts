/** Moments as they are written on charts, in the person's language. */
import { locale } from '../../i18n/format.ts';
import type { TimeTick } from './ticks.ts';

const DAY_MS = 86_400_000;

const FORMATS = {
  time: { timeStyle: 'short' },
  day: { day: 'numeric', month: 'short' },
  month: { month: 'short' },
  year: { year: 'numeric' },
} satisfies Record<TimeTick['unit'], Intl.DateTimeFormatOptions>;

export function tickLabel({ at, unit }: TimeTick): string {
  return new Intl.DateTimeFormat(locale(), FORMATS[unit]).format(at);
}

/** A moment in a range of this length: as much of it as tells it from the others. */
export function momentLabel(at: number, spanMs: number): string {
  const options: Intl.DateTimeFormatOptions =
    spanMs <= DAY_MS / 2
      ? { timeStyle: 'short' }
      : spanMs <= 45 * DAY_MS
        ? { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' }
        : { dateStyle: 'medium' };
  return new Intl.DateTimeFormat(locale(), options).format(at);
}

/** Formats only the admin pages need; what is in `format.ts` every viewer downloads. */
import { decimal, locale, number } from './format.ts';
import { language } from './index.ts';

/** "13:05", for something of today. */
export function timeOfDay(time: string): string {
  return new Intl.DateTimeFormat(locale(), { timeStyle: 'short' }).format(new Date(time));
}

/** "12.5%", as the language writes it. */
export function percent(value: number): string {
  return new Intl.NumberFormat(language(), { style: 'percent', maximumFractionDigits: 1 }).format(value / 100);
}

/** "320 µs" or "1.5 ms", for what a computer does. */
export function microseconds(value: number): string {
  return value < 1000 ? `${number(Math.round(value))} µs` : `${decimal(value / 1000)} ms`;
}

/** "in 3 minutes", for something that is still to come; what is due is "now". */
export function timeUntil(then: string, now: string): string {
  const seconds = Math.max((Date.parse(then) - Date.parse(now)) / 1000, 0);
  const format = new Intl.RelativeTimeFormat(language(), { numeric: 'auto' });
  if (seconds < 60) return format.format(Math.round(seconds), 'second');
  if (seconds < 3_600) return format.format(Math.round(seconds / 60), 'minute');
  if (seconds < 86_400) return format.format(Math.round(seconds / 3_600), 'hour');
  return format.format(Math.round(seconds / 86_400), 'day');
}

/** "12 kB", in the unit people know their files by. */
export function fileSize(bytes: number): string {
  const kilobytes = bytes / 1024;
  const megabytes = kilobytes / 1024;
  let [unit, value]: [string, number] = ['kilobyte', Math.max(Math.round(kilobytes), Math.sign(bytes))];
  if (kilobytes >= 1000) [unit, value] = ['megabyte', megabytes];
  if (megabytes >= 1000) [unit, value] = ['gigabyte', megabytes / 1024];
  return new Intl.NumberFormat(language(), { style: 'unit', unit, maximumFractionDigits: 1 }).format(value);
}

/** "3 h 12 min", as much as matters; for sums of time that nobody watches grow. */
export function timeSpan(seconds: number): string {
  const unit = (value: number, name: string) =>
    new Intl.NumberFormat(language(), { style: 'unit', unit: name, unitDisplay: 'short' }).format(value);
  if (seconds < 60) return unit(Math.round(seconds), 'second');
  const minutes = Math.round(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return unit(minutes, 'minute');
  return hours >= 100 || rest === 0 ? unit(hours, 'hour') : `${unit(hours, 'hour')} ${unit(rest, 'minute')}`;
}

/** "one, two and three". */
export function list(words: string[]): string {
  return new Intl.ListFormat(locale(), { type: 'conjunction' }).format(words);
}

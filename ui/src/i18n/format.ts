/** Dates and durations in the person's language. */
import { language } from './index.ts';

/** With the person's country, where their browser names one: half past one is not 1:30 PM everywhere. */
export function locale(): string {
  const wanted = navigator.language ?? '';
  return wanted.split('-')[0] === language() ? wanted : language();
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Largest unit that fits, and how many of it. */
function largestUnit(seconds: number): [number, Intl.RelativeTimeFormatUnit] {
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return [Math.trunc(seconds / size), unit];
  }
  return [Math.trunc(seconds), 'second'];
}

/** "3 hours ago". `now` is the server's clock, so a wrong clock at the viewer's side does not show. */
export function relativeTime(then: string, now: string): string {
  const seconds = (Date.parse(then) - Date.parse(now)) / 1000;
  const [count, unit] = largestUnit(Math.min(seconds, 0));
  return new Intl.RelativeTimeFormat(language(), { numeric: 'auto' }).format(count, unit);
}

/** "12 minutes", for a stream that has been running since `start`. */
export function duration(start: string, now: string): string {
  const seconds = Math.max((Date.parse(now) - Date.parse(start)) / 1000, 0);
  const [count, unit] = largestUnit(seconds);
  return new Intl.NumberFormat(language(), { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

export function dateTime(time: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time));
}

/** For log lines: to the second, and the day only as far as needed to sort by eye. */
export function logTime(time: string): string {
  return new Intl.DateTimeFormat(locale(), {
    month: 'short',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).format(new Date(time));
}

export function number(value: number): string {
  return new Intl.NumberFormat(language()).format(value);
}

/** "1:02:33", for something that is watched while it grows. */
export function stopwatch(start: string, now: string): string {
  return clock(Math.max(Math.floor((Date.parse(now) - Date.parse(start)) / 1000), 0));
}

/** "0:52" or "1:02:33", for whole seconds that count up or down. */
export function clock(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const rest = `${hours > 0 ? two((seconds / 60) % 60) : Math.floor((seconds / 60) % 60)}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** With at most one digit after the point, as for rates and seconds. */
export function decimal(value: number): string {
  return new Intl.NumberFormat(language(), { maximumFractionDigits: 1 }).format(value);
}

export function bitrate(kbps: number): string {
  return kbps < 1000 ? `${number(Math.round(kbps))} kbit/s` : `${decimal(kbps / 1000)} Mbit/s`;
}

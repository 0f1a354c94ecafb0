/** Times as people read them. */
import { clock, locale } from '../../i18n/format.ts';
import { language } from '../../i18n/index.ts';

/** "1:02:33", on pictures and in lists. */
export const clockOf = (seconds: number): string => clock(Math.max(Math.floor(seconds), 0));

/** "1 hour, 2 minutes", for those who listen, and where there is room for it. */
export function spokenDuration(seconds: number): string {
  const whole = Math.max(Math.round(seconds), 0);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  // Of something that takes hours nobody wants to know the seconds.
  const parts: [number, string][] =
    hours > 0
      ? [
          [hours, 'hour'],
          [minutes, 'minute'],
        ]
      : minutes > 0
        ? [[minutes, 'minute']]
        : [[whole, 'second']];
  const said = parts
    .filter(([count], index) => count > 0 || index === 0)
    .map(([count, unit]) =>
      new Intl.NumberFormat(language(), { style: 'unit', unit, unitDisplay: 'long' }).format(count),
    );
  return new Intl.ListFormat(language(), { type: 'unit' }).format(said);
}

/** "12 March 2026": when it was, which matters more than how long ago. */
export function day(time: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'long' }).format(new Date(time));
}

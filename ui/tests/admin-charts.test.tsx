import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TimeChart } from '../src/admin/charts/TimeChart.tsx';
import { nearest, roundStep, timeTicks, valueTicks } from '../src/admin/charts/ticks.ts';
import { timeSpan } from '../src/i18n/format.admin.ts';
import { number } from '../src/i18n/format.ts';
import { speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
afterEach(cleanup);

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
/** On the clock of whoever runs this: ticks are round there. */
const at = (day: number, hour = 0, minute = 0) => new Date(2026, 2, day, hour, minute).getTime();

describe('ticks of values', () => {
  test.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [41, [0, 20, 40, 60]],
    [100, [0, 25, 50, 75, 100]],
    [999, [0, 250, 500, 750, 1000]],
    [12_345, [0, 5000, 10_000, 15_000]],
  ])('up to %i people are counted in whole ones', (top, ticks) => {
    expect(valueTicks(top)).toEqual(ticks);
  });

  test('measurements have parts, without the errors of binary fractions', () => {
    expect(valueTicks(0.3, { whole: false })).toEqual([0, 0.1, 0.2, 0.3]);
    expect(valueTicks(2.2, { whole: false })).toEqual([0, 1, 2, 3]);
    expect(valueTicks(1, { whole: false })).toEqual([0, 0.25, 0.5, 0.75, 1]);
  });

  test('bytes are round in megabytes', () => {
    const megabyte = 1024 * 1024;
    const ticks = valueTicks(7_000_000, { whole: false, unit: megabyte });
    expect(ticks.map((tick) => tick / megabyte)).toEqual([0, 2, 4, 6, 8]);
  });

  test('no tick is far above the highest value, and none is missing', () => {
    for (let top = 1; top < 5000; top += 7) {
      const ticks = valueTicks(top);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(top);
      expect(ticks.at(-2)).toBeLessThan(top);
      expect(ticks.length).toBeLessThanOrEqual(6);
    }
  });

  test('a step is one, two, two and a half or five times a power of ten', () => {
    expect([0.011, 0.3, 1.2, 2.1, 26, 60].map((least) => roundStep(least, false))).toEqual([
      0.02, 0.5, 2, 2.5, 50, 100,
    ]);
    expect(roundStep(2.1, true)).toBe(5);
  });
});

describe('ticks of time', () => {
  const told = (from: number, to: number, most: number) => timeTicks(from, to, most).map((tick) => tick.at);

  test('within an hour they are at round minutes', () => {
    expect(told(at(3, 11, 7), at(3, 12, 7), 6)).toEqual([15, 30, 45, 60].map((minute) => at(3, 11, minute)));
  });

  test('within a day they are at round hours, and midnight is called by its day', () => {
    const ticks = timeTicks(at(3, 15, 20), at(4, 15, 20), 5);
    expect(ticks.map((tick) => tick.at)).toEqual([at(3, 18), at(4, 0), at(4, 6), at(4, 12)]);
    expect(ticks.map((tick) => tick.unit)).toEqual(['time', 'day', 'time', 'time']);
  });

  test('within a week they are at the beginning of days, within months on Mondays', () => {
    expect(told(at(3, 9), at(10, 9), 8)).toEqual([4, 5, 6, 7, 8, 9, 10].map((day) => at(day)));
    const weeks = told(at(1), at(31), 6);
    expect(weeks.map((tick) => new Date(tick).getDay())).toEqual(weeks.map(() => 1));
  });

  test('over years they are at the beginning of months, and January is called by its year', () => {
    const ticks = timeTicks(at(5), at(5) + 400 * DAY, 7);
    expect(ticks.map((tick) => new Date(tick.at).getDate())).toEqual(ticks.map(() => 1));
    expect(ticks.filter((tick) => tick.unit === 'year').map((tick) => new Date(tick.at).getMonth())).toEqual([0]);
  });

  test.each([2, 4, 9])('there are never more than %i, they are inside and one after the other', (most) => {
    for (let span = MINUTE; span < 9000 * DAY; span *= 1.7) {
      const from = at(3, 11, 7);
      const ticks = told(from, from + span, most);
      expect(ticks.length).toBeLessThanOrEqual(most);
      expect(ticks).toEqual([...new Set(ticks)].toSorted((one, other) => one - other));
      expect(ticks.every((tick) => tick >= from && tick <= from + span)).toBe(true);
    }
  });

  test('a time without length has none', () => {
    expect(timeTicks(at(3), at(3), 5)).toEqual([]);
  });
});

test.each([
  [[], 5, -1],
  [[10], 5, 0],
  [[10, 20, 40], 14, 0],
  [[10, 20, 40], 16, 1],
  [[10, 20, 40], 31, 2],
  [[10, 20, 40], 99, 2],
])('in %j the nearest to %i is number %i', (times, wanted, found) => {
  expect(nearest(times, wanted)).toBe(found);
});

test.each([
  [42, '42 sec'],
  [90, '2 min'],
  [3600, '1 hr'],
  [11_520, '3 hr 12 min'],
  [720_000, '200 hr'],
])('%i seconds are written as %s', (seconds, text) => {
  expect(timeSpan(seconds)).toBe(text);
});

describe('a chart', () => {
  const points = [0, 1, 2].map((minute) => ({ at: at(3, 12, minute), value: minute * 5 }));
  const show = () =>
    render(() => (
      <TimeChart title="Over time" lines={[{ label: 'Viewers', points }]} format={number} everyMs={MINUTE} />
    ));
  const legend = () => document.querySelector('.chart-legend strong')?.textContent;

  test('has axes with round values and times', () => {
    show();
    const labels = [...document.querySelectorAll('.chart-axes text')].map((label) => label.textContent);
    expect(labels.slice(0, 3)).toEqual(['0', '5', '10']);
    expect(labels.filter((label) => label?.includes('12:0')).length).toBe(3);
  });

  test('is read off with the keys that move a slider, and says what it reads', () => {
    show();
    const cursor = screen.getByRole('slider', { name: 'Read off: Over time' });
    expect(legend()).toBe('10');
    fireEvent.focus(cursor);
    fireEvent.input(cursor, { target: { value: '1' } });
    expect(legend()).toBe('5');
    expect(cursor.getAttribute('aria-valuetext')).toMatch(/12:01.*: Viewers 5$/);
    expect(document.querySelector('.chart-moment text')?.textContent).toMatch(/12:01/);
    fireEvent.blur(cursor);
    expect(legend()).toBe('10');
    expect(document.querySelector('.chart-moment')).toBeNull();
  });

  test('is read off where the pointer is', () => {
    show();
    const frame = document.querySelector('.chart-frame') as HTMLElement;
    fireEvent(frame, new MouseEvent('pointermove', { clientX: 0, bubbles: true }));
    expect(legend()).toBe('0');
    fireEvent(frame, new MouseEvent('pointerleave', { bubbles: true }));
    expect(legend()).toBe('10');
  });
});

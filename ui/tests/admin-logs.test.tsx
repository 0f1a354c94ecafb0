import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { asText, Logs, matching } from '../src/admin/pages/Logs.tsx';
import { Toasts } from '../src/design/toasts.tsx';
import type { LogLine } from '../src/wire.ts';
import { answerWith, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const line = (second: number, message: string, level: LogLine['level'] = 'info'): LogLine => ({
  time: `2026-01-02T12:00:0${second}Z`,
  message,
  level,
});
const LINES = [line(1, 'listening on port 8080'), line(2, 'refused a broadcaster', 'warning')];

function show(lines: LogLine[]) {
  const routes = { 'GET /api/admin/logs': { body: lines } };
  vi.stubGlobal('fetch', answerWith(routes).fakeFetch);
  render(() => (
    <>
      <Logs />
      <Toasts />
    </>
  ));
  return routes;
}

test('lines are found by words in any order', () => {
  expect(matching('8080 LISTENING', LINES)).toEqual([LINES[0]]);
  expect(matching('  ', LINES)).toEqual(LINES);
});

test('words that no line has are said to be missing', async () => {
  show(LINES);
  await screen.findByText('listening on port 8080');
  fireEvent.input(screen.getByLabelText('Search logs'), { target: { value: 'refused' } });
  expect(screen.queryByText('listening on port 8080')).toBeNull();
  fireEvent.input(screen.getByLabelText('Search logs'), { target: { value: 'submarine' } });
  expect(screen.getByText('No matching lines')).toBeTruthy();
});

test('held still, nothing moves, and it says how much was missed', async () => {
  vi.useFakeTimers();
  const routes = show(LINES);
  await vi.advanceTimersByTimeAsync(0);
  fireEvent.click(screen.getByText('Pause'));
  // The oldest line has been forgotten meanwhile.
  routes['GET /api/admin/logs'] = { body: [LINES[1] as LogLine, line(3, 'somebody signed in')] };
  await vi.advanceTimersByTimeAsync(5_000);
  expect(screen.queryByText('somebody signed in')).toBeNull();
  expect(screen.getByText('listening on port 8080')).toBeTruthy();
  expect(screen.getByText('1 new line since you paused.')).toBeTruthy();
  fireEvent.click(screen.getByText('Resume'));
  expect(screen.getByText('somebody signed in')).toBeTruthy();
});

test('what is shown is copied, oldest first', async () => {
  const writeText = vi.fn(async () => {});
  vi.stubGlobal('navigator', { ...navigator, language: 'en', clipboard: { writeText } });
  show(LINES);
  await screen.findByText('listening on port 8080');
  fireEvent.click(screen.getByText('Warnings and errors'));
  fireEvent.click(screen.getByText('Copy'));
  expect(await screen.findByText('1 line copied.')).toBeTruthy();
  expect(writeText).toHaveBeenCalledWith('2026-01-02T12:00:02Z WARNING refused a broadcaster');
  expect(asText(LINES).split('\n')[0]).toBe('2026-01-02T12:00:01Z INFO listening on port 8080');
});

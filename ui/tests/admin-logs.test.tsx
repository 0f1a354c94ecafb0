import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { logFileName } from '../src/admin/log-lines/download.ts';
import { sentenceOf } from '../src/admin/log-lines/sentence.ts';
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
  await screen.findByText('Listening on port 8080.');
  fireEvent.input(screen.getByLabelText('Search logs'), { target: { value: 'refused' } });
  expect(screen.queryByText('Listening on port 8080.')).toBeNull();
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
  expect(screen.queryByText('Somebody signed in.')).toBeNull();
  expect(screen.getByText('Listening on port 8080.')).toBeTruthy();
  expect(screen.getByText('1 new line since you paused.')).toBeTruthy();
  fireEvent.click(screen.getByText('Resume'));
  expect(screen.getByText('Somebody signed in.')).toBeTruthy();
});

test('what is shown is copied, oldest first', async () => {
  const writeText = vi.fn(async () => {});
  vi.stubGlobal('navigator', { ...navigator, language: 'en', clipboard: { writeText } });
  show(LINES);
  await screen.findByText('Listening on port 8080.');
  fireEvent.click(screen.getByText('Warnings and errors'));
  fireEvent.click(screen.getByText('Copy'));
  expect(await screen.findByText('1 line copied.')).toBeTruthy();
  expect(writeText).toHaveBeenCalledWith('2026-01-02T12:00:02Z WARNING refused a broadcaster');
  expect(asText(LINES).split('\n')[0]).toBe('2026-01-02T12:00:01Z INFO listening on port 8080');
});

test('a line is a sentence, and its fields stand beside it', () => {
  expect(sentenceOf('a broadcaster publishes peer=1.2.3.4:5 key="the \\"big\\" one" is_tls=false')).toEqual({
    text: 'An encoder connected.',
    facts: [
      { name: 'peer', value: '1.2.3.4:5' },
      { name: 'key', value: 'the "big" one' },
      { name: 'is_tls', value: 'false' },
    ],
  });
  expect(sentenceOf('cannot read it error=connection refused (os error 111) host="a b=c"')).toEqual({
    text: 'Cannot read it.',
    facts: [
      { name: 'error', value: 'connection refused (os error 111)' },
      { name: 'host', value: 'a b=c' },
    ],
  });
  expect(sentenceOf('is it so?')).toEqual({ text: 'Is it so?', facts: [] });
});

test('what a plugin wrote stays as it is, and only the fields behind it are the server’s', () => {
  const line = 'score=5 f(a, b=2) plugin="dice" call="chat"';
  expect(sentenceOf(line)).toEqual({
    text: 'score=5 f(a, b=2)',
    facts: [
      { name: 'plugin', value: 'dice' },
      { name: 'call', value: 'chat' },
    ],
  });
});

test('a line is also found by the words it is shown with', () => {
  const live = line(4, 'live id="12ab"');
  expect(matching('stream is live', [...LINES, live])).toEqual([live]);
  expect(matching('12ab', [...LINES, live])).toEqual([live]);
});

test('what is shown can be kept as a text file', async () => {
  const blobs: Blob[] = [];
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: (blob: Blob) => blobs.push(blob) && 'blob:log' }));
  const names: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    names.push(this.download);
  });
  show(LINES);
  await screen.findByText('Listening on port 8080.');
  fireEvent.click(screen.getByText('Download'));
  expect(names).toEqual(['rillcast-log-2026-01-02-1200.txt']);
  expect(blobs[0]?.size).toBe(asText(LINES).length + 1);
  expect(logFileName('2026-11-19T04:05:06Z')).toBe('rillcast-log-2026-11-19-0405.txt');
});

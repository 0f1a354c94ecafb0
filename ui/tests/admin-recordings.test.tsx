import { cleanup, fireEvent, screen, waitFor, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { concernsOf } from '../src/admin/home/attention.ts';
import { LiveRecord, RecordThisStream } from '../src/admin/recordings/LiveRecord.tsx';
import { RecordingSettings } from '../src/admin/recordings/RecordingSettings.tsx';
import { Recordings } from '../src/admin/recordings/Recordings.tsx';
import { parseTime, writeTime } from '../src/admin/recordings/times.ts';
import type { LiveRecording, Recording, RecordingsPage } from '../src/admin/recordings/wire.ts';
import type { AdminStatus } from '../src/wire.ts';
import { type Routes, showPage } from './admin-fakes.tsx';
import { dialogsOpen, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

const ID = '0123456789abcdef';
const ONE = `/api/admin/videos/${ID}`;
const LIST = '/api/admin/videos?offset=0&limit=25';

const recording = (change: Partial<Recording> = {}): Recording => ({
  id: ID,
  title: 'Evening walk',
  summary: 'Along the river',
  tags: ['walk'],
  startedAt: '2026-01-02T18:00:00Z',
  duration: 3600,
  visibility: 'unlisted',
  thumbnail: '',
  hasChat: false,
  state: 'finished',
  bytes: 3 * 2 ** 30,
  isKept: false,
  keepsChat: false,
  recordedDuration: 3600,
  trimStart: null,
  trimEnd: null,
  errors: [],
  ...change,
});
const live = (change: Partial<LiveRecording> = {}): LiveRecording => ({
  id: ID,
  isRing: true,
  isPaused: false,
  lost: 0,
  ...change,
});
const page = (results: Recording[], change: Partial<RecordingsPage> = {}): RecordingsPage => ({
  total: results.length,
  results,
  folder: { bytes: 3 * 2 ** 30, free: 40 * 2 ** 30 },
  live: null,
  ...change,
});
const LIVE = { streamState: 'live' } as AdminStatus;

function show(answer: RecordingsPage, { status, routes }: { status?: AdminStatus; routes?: Routes } = {}) {
  return showPage(() => <Recordings status={status} />, { [`GET ${LIST}`]: { body: answer }, ...routes });
}
const ok = { body: { success: true, message: 'ok' } };

describe('the recordings', () => {
  test('are listed with their room, their length, who can watch them, and what is wrong with them', async () => {
    const errors = [
      { code: 'files-missing', message: '2 of 9 files are missing.' },
      { code: 'brand-new', message: 'Something a newer server found.' },
    ];
    show(page([recording({ errors, isKept: true, trimStart: 5 })]));
    const row = within(await screen.findByRole('row', { name: /Evening walk/ }));
    expect(row.getByText('1:00:00')).toBeTruthy();
    expect(row.getByText('3 GB')).toBeTruthy();
    expect(row.getByText('Whoever has the address')).toBeTruthy();
    expect(row.getByText('Kept')).toBeTruthy();
    expect(row.getByText('Trimmed')).toBeTruthy();
    expect(row.getByText('Some of its files are missing or damaged.')).toBeTruthy();
    expect(row.getByText('Something a newer server found.')).toBeTruthy();
    expect(screen.getByText('40 GB')).toBeTruthy();
    expect(row.getByRole('link', { name: 'Evening walk' }).getAttribute('href')).toBe(`/videos/${ID}`);
  });

  test('are published and taken off the list with one press, and kept with another', async () => {
    const { sent, routes } = show(page([recording()]), { routes: { [`PATCH ${ONE}`]: { body: recording() } } });
    fireEvent.click(await screen.findByLabelText('Publish: Evening walk'));
    await screen.findByText('“Evening walk” is now public.');
    routes[`GET ${LIST}`] = { body: page([recording({ visibility: 'public' })]) };
    fireEvent.click(await screen.findByLabelText('Keep: Evening walk'));
    fireEvent.click(await screen.findByLabelText('Take off the list: Evening walk'));
    await screen.findByText('“Evening walk” is no longer in the list.');
    const changes = sent.filter(({ method }) => method === 'PATCH').map(({ body }) => body);
    expect(changes).toEqual([{ visibility: 'public' }, { isKept: true }, { visibility: 'unlisted' }]);
  });

  test('are deleted only after a question, and not while they are written', async () => {
    const other = recording({ id: 'f'.repeat(16), title: 'Morning', state: 'recording' });
    const { sent } = show(page([recording(), other]), { routes: { [`DELETE ${ONE}`]: ok } });
    fireEvent.click(await screen.findByLabelText('Delete: Evening walk'));
    expect(sent.some(({ method }) => method === 'DELETE')).toBe(false);
    fireEvent.click(within(screen.getByRole('dialog')).getByText('Delete'));
    await screen.findByText('The recording has been deleted.');
    expect(sent.filter(({ method }) => method === 'DELETE').map(({ path }) => path)).toEqual([ONE]);
    expect(screen.getByLabelText<HTMLButtonElement>('Delete: Morning').disabled).toBe(true);
  });

  test('are edited and trimmed; what was not touched is not sent', async () => {
    const trimmed = recording({ trimStart: 12.345 });
    const { sent } = show(page([trimmed]), { routes: { [`PATCH ${ONE}`]: { body: trimmed } } });
    fireEvent.click(await screen.findByLabelText('Edit: Evening walk'));
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit the recording' }));
    expect(dialog.getByLabelText<HTMLInputElement>('Begins at').value).toBe('0:12.3');
    fireEvent.input(dialog.getByLabelText('Title'), { target: { value: 'The walk' } });
    fireEvent.input(dialog.getByLabelText('Ends at'), { target: { value: '59:30' } });
    fireEvent.click(dialog.getByText('Save'));
    await screen.findByText('The recording has been changed.');
    expect(sent.find(({ method }) => method === 'PATCH')?.body).toEqual({
      title: 'The walk',
      summary: 'Along the river',
      tags: ['walk'],
      visibility: 'unlisted',
      isKept: false,
      trimEnd: 3570,
    });
  });

  test.each([
    ['behind its end', '1:00:01', 'Enter a time such as 1:02:30, up to 1:00:00.'],
    ['no time', 'later', 'Enter a time such as 1:02:30, up to 1:00:00.'],
    ['before the beginning', '0:05', 'The end must come after the beginning.'],
  ])('an end that is %s is not sent', async (_, text, said) => {
    const { sent } = show(page([recording({ trimStart: 10 })]));
    fireEvent.click(await screen.findByLabelText('Edit: Evening walk'));
    fireEvent.input(await screen.findByLabelText('Ends at'), { target: { value: text } });
    expect(screen.getByText(said)).toBeTruthy();
    fireEvent.click(screen.getByText('Save'));
    expect(sent.some(({ method }) => method === 'PATCH')).toBe(false);
  });

  test('one that is still recorded has no ends to move yet', async () => {
    show(page([recording({ state: 'recording' })]), { status: LIVE });
    fireEvent.click(await screen.findByLabelText('Edit: Evening walk'));
    await screen.findByRole('dialog', { name: 'Edit the recording' });
    expect(screen.queryByLabelText('Begins at')).toBeNull();
  });

  test('are searched, and who finds none is told so and not that there are none', async () => {
    const { sent } = show(page([recording()]), {
      routes: { 'GET /api/admin/videos?q=sea&offset=0&limit=25': { body: page([]) } },
    });
    fireEvent.input(await screen.findByLabelText('Search by title or tag'), { target: { value: ' sea ' } });
    await screen.findByText('No recording matches. Try another word.');
    expect(sent.at(-1)?.path).toBe('/api/admin/videos?q=sea&offset=0&limit=25');
  });

  test('where there are none the page says how one comes about', async () => {
    show(page([], { folder: { bytes: 0, free: null } }));
    await screen.findByText('No recordings yet');
    expect(screen.queryByText('Free on the disk')).toBeNull();
  });
});

describe('times in a recording', () => {
  test.each([
    ['1:02:30', 3750],
    ['2:30', 150],
    ['45', 45],
    ['90', 90],
    ['0:12.3', 12.3],
    ['0:12,3', 12.3],
    [' 10:00:00 ', 36_000],
  ])('%s is read', (text, seconds) => {
    expect(parseTime(text)).toBeCloseTo(seconds, 5);
  });

  test.each(['', '1:60', '1:2:3:4', '1:99:00', '-5', 'soon', '1:', ':5'])('%j is no time', (text) => {
    expect(parseTime(text)).toBeUndefined();
  });

  test('what is written is read as the same', () => {
    for (const seconds of [0, 5, 59.9, 59.96, 60, 3599, 3600, 43_199.5]) {
      expect(parseTime(writeTime(seconds))).toBeCloseTo(seconds, 0);
    }
    expect([writeTime(3725), writeTime(59.96)]).toEqual(['1:02:05', '1:00']);
  });
});

describe('the stream that is on', () => {
  const showLive = (answer: RecordingsPage, routes: Routes = {}) =>
    showPage(() => <RecordThisStream />, { 'GET /api/admin/videos?limit=1': { body: answer }, ...routes });

  test('is recorded with a press, from what is kept of it', async () => {
    const shown = showLive(page([], { live: live() }), { 'POST /api/admin/videos/record': ok });
    const button = await screen.findByText('Record this stream');
    expect(screen.getByText('This stream is kept only for rewinding, and goes when it ends.')).toBeTruthy();
    shown.routes['GET /api/admin/videos?limit=1'] = { body: page([], { live: live({ isRing: false }) }) };
    fireEvent.click(button);
    await screen.findByText('This stream is being recorded.');
    expect(shown.posted().map(({ path }) => path)).toEqual(['/api/admin/videos/record']);
  });

  test('is no longer recorded with another', async () => {
    const answer = page([], { live: live({ isRing: false }) });
    const { sent } = showLive(answer, { 'DELETE /api/admin/videos/record': ok });
    fireEvent.click(await screen.findByText('Stop recording'));
    await screen.findByText('Recording has stopped. What was recorded stays.');
    expect(sent.filter(({ method }) => method === 'DELETE').map(({ path }) => path)).toEqual([
      '/api/admin/videos/record',
    ]);
  });

  test('can be recorded where nothing is kept of it, and a refusal is told', async () => {
    const refused = { status: 400, body: { success: false, message: 'The disk is full.' } };
    showLive(page([]), { 'POST /api/admin/videos/record': refused });
    fireEvent.click(await screen.findByText('Record this stream'));
    await screen.findByText('The disk is full.');
    expect(screen.getByText('This stream is not being recorded.')).toBeTruthy();
  });

  test('where the server keeps no recordings there is no button', async () => {
    const { sent } = showPage(() => <RecordThisStream />, {});
    await waitFor(() => expect(sent.some(({ path }) => path === '/api/admin/videos?limit=1')).toBe(true));
    expect(screen.queryByText('Record this stream')).toBeNull();
  });

  test('a pause for want of room is said, and what was lost is counted', () => {
    const onChanged = vi.fn(async () => {});
    showPage(() => <LiveRecord live={live({ isRing: false, isPaused: true, lost: 2 })} onChanged={onChanged} />, {});
    expect(screen.getByText(/Recording is paused/)).toBeTruthy();
    expect(screen.getByText(/2 parts of this stream are missing/)).toBeTruthy();
  });

  test('needs attention when its recording pauses or has gaps, and not otherwise', () => {
    const ids = (one: LiveRecording | null) =>
      concernsOf({
        now: '2026-01-02T18:00:00Z',
        find: () => undefined,
        recordings: page([], { live: one }),
      }).map(({ id, level }) => `${level}: ${id}`);
    expect(ids(null)).toEqual([]);
    expect(ids(live({ isRing: false }))).toEqual([]);
    expect(ids(live({ isPaused: true, lost: 3 }))).toEqual(['error: recording-paused']);
    expect(ids(live({ lost: 3 }))).toEqual(['warning: recording-lost']);
  });
});

describe('the settings of recordings', () => {
  const MODES = ['off', 'on', 'by_key'];
  const settings = (mode: string, minutes: number) => [
    setting({ key: 'recording/mode', path: 'recording/mode', kind: 'choice', choices: MODES, value: mode }),
    setting({ key: 'rewind', path: 'recording/rewindminutes', kind: 'number', value: minutes, max: 720 }),
  ];
  const showSettings = (mode: string, minutes: number) =>
    showPage(
      () => <RecordingSettings />,
      { 'POST /api/admin/config/recording/rewindminutes': ok },
      settings(mode, minutes),
    );

  test('offer two hours of rewinding to whoever records and has none', async () => {
    const { posted } = showSettings('on', 0);
    fireEvent.click(await screen.findByText('Let viewers rewind 2 hr'));
    await waitFor(() => expect(posted()).toHaveLength(1));
    expect(posted()[0]?.body).toEqual({ value: 120 });
  });

  test.each([
    ['off', 0],
    ['on', 30],
  ])('offer nothing where recording is %s and there are %i minutes', async (mode, minutes) => {
    showSettings(mode, minutes);
    await screen.findByLabelText('Viewers can rewind');
    expect(screen.queryByText(/Let viewers rewind/)).toBeNull();
  });

  test('a length that was set elsewhere is among the choices', async () => {
    const { posted } = showSettings('off', 45);
    const field = await screen.findByLabelText<HTMLSelectElement>('Viewers can rewind');
    expect([...field.options].map(({ value }) => value)).toEqual(['0', '15', '30', '45', '60', '120', '240', '720']);
    expect(field.value).toBe('45');
    fireEvent.change(field, { target: { value: '60' } });
    await waitFor(() => expect(posted()[0]?.body).toEqual({ value: 60 }));
  });
});

import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Chapter } from '../src/admin/recordings/chapters.ts';
import { LiveRecord } from '../src/admin/recordings/LiveRecord.tsx';
import { Recordings } from '../src/admin/recordings/Recordings.tsx';
import type { LiveRecording, Recording } from '../src/admin/recordings/wire.ts';
import { showPage } from './admin-fakes.tsx';
import { dialogsOpen, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

const ID = '0123456789abcdef';
const ONE = `/api/admin/videos/${ID}`;
const walk: Recording = {
  id: ID,
  title: 'Evening walk',
  summary: '',
  tags: [],
  startedAt: '2026-01-02T18:00:00Z',
  duration: 3600,
  visibility: 'unlisted',
  thumbnail: '',
  hasChat: false,
  state: 'finished',
  bytes: 1,
  isKept: false,
  keepsChat: false,
  trimStart: null,
  trimEnd: null,
  errors: [],
};
const BRIDGE: Chapter = { at: 0, title: 'The bridge', kind: 'title' };
const UNNAMED: Chapter = { at: 95.25, title: '', kind: 'mark' };
const ok = { body: { success: true, message: 'ok' } };

async function open(chapters: Chapter[], one: Partial<Recording> = {}) {
  const page = { total: 1, results: [{ ...walk, ...one }], folder: { bytes: 1, free: null }, live: null };
  const fake = showPage(() => <Recordings />, {
    'GET /api/admin/videos?offset=0&limit=25': { body: page },
    [`GET ${ONE}`]: { body: { ...walk, chapters } },
    [`POST ${ONE}/marks`]: { body: UNNAMED },
    [`DELETE ${ONE}/marks?at=0&kind=title`]: ok,
  });
  fireEvent.click(await screen.findByLabelText('Chapters: Evening walk'));
  const dialog = within(await screen.findByRole('dialog', { name: 'Chapters of “Evening walk”' }));
  const posted = () => fake.sent.filter(({ method }) => method === 'POST').map(({ body }) => body);
  return { ...fake, dialog, posted };
}

describe('the chapters of a recording', () => {
  test('are listed where they begin, and one of the stream’s titles can be removed', async () => {
    const { dialog, sent } = await open([BRIDGE, UNNAMED]);
    expect(await dialog.findByText('The bridge')).toBeTruthy();
    expect(dialog.getByText('1:35.3')).toBeTruthy();
    fireEvent.click(dialog.getByLabelText('Remove: 0:00, The bridge'));
    await expect.poll(() => sent.some(({ method }) => method === 'DELETE')).toBe(true);
    expect(sent.find(({ method }) => method === 'DELETE')?.path).toBe(`${ONE}/marks?at=0&kind=title`);
  });

  test('get the title of a mark where it is, to the microsecond', async () => {
    const { dialog, posted } = await open([UNNAMED]);
    const field = await dialog.findByLabelText('Title of the chapter at 1:35.3');
    fireEvent.input(field, { target: { value: ' Ducks ' } });
    fireEvent.change(field);
    await expect.poll(posted).toEqual([{ at: 95.25, title: 'Ducks' }]);
  });

  test('are added at a time that people write', async () => {
    const { dialog, posted } = await open([]);
    expect(await dialog.findByText(/No chapters yet/)).toBeTruthy();
    fireEvent.input(dialog.getByLabelText('Begins at'), { target: { value: '1:02:30' } });
    fireEvent.click(dialog.getByText('Add'));
    expect(await dialog.findByText('Enter a time such as 1:02:30, up to 1:00:00.')).toBeTruthy();
    expect(posted()).toEqual([]);
    fireEvent.input(dialog.getByLabelText('Begins at'), { target: { value: '2:30' } });
    fireEvent.input(dialog.getByLabelText('Title'), { target: { value: 'Ducks' } });
    fireEvent.click(dialog.getByText('Add'));
    await expect.poll(posted).toEqual([{ at: 150, title: 'Ducks' }]);
  });

  test('can be behind the end that was told while the stream is recorded', async () => {
    const { dialog, posted } = await open([], { state: 'recording' });
    fireEvent.input(dialog.getByLabelText('Begins at'), { target: { value: '1:02:30' } });
    fireEvent.click(dialog.getByText('Add'));
    await expect.poll(posted).toEqual([{ at: 3750, title: '' }]);
  });
});

test('a moment of a live stream is marked with one press where something is kept of it', async () => {
  const kept: LiveRecording = { id: ID, isRing: true, isPaused: false, lost: 0 };
  const { sent } = showPage(() => <LiveRecord live={kept} onChanged={async () => {}} />, {
    'POST /api/admin/record/mark': { body: { at: 3750.4, title: '', kind: 'mark' } },
  });
  fireEvent.click(screen.getByText('Mark this moment'));
  expect(await screen.findByText('Marked at 1:02:30.')).toBeTruthy();
  const posts = sent.filter(({ method }) => method === 'POST');
  expect(posts.map(({ path, body }) => [path, body])).toEqual([['/api/admin/record/mark', {}]]);
  cleanup();
  showPage(() => <LiveRecord live={undefined} onChanged={async () => {}} />, {});
  expect(screen.queryByText('Mark this moment')).toBeNull();
});

import { cleanup, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StreamHealth } from '../src/admin/insight/StreamHealth.tsx';
import { PastStreams } from '../src/admin/pages/PastStreams.tsx';
import { type Doing, doingOf } from '../src/admin/video/LadderCard.tsx';
import type { LadderState } from '../src/admin/video/wire.ts';
import { showPage } from './admin-fakes.tsx';
import { speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
afterEach(cleanup);

const ladder: LadderState = {
  encoder: 'libx264',
  running: true,
  hurries: false,
  behindMs: 400,
  speedPercent: 100,
  restarts: 2,
  lastFailure: 'ffmpeg does not answer',
  rungs: [
    { variant: 1, name: '720p', width: 1280, height: 720, kbps: 2500, offered: true },
    { variant: 2, name: '480p', width: 854, height: 480, kbps: 1200, offered: false },
  ],
  sound: { kbps: 128, channels: 2, offered: true, givenUp: false },
  leftOut: [{ variant: 3, name: 'Twin', reason: 'this stream has no video' }],
  samples: [
    { at: new Date(Date.now() - 2_000).toISOString(), speedPercent: null, behindMs: 900 },
    { at: new Date(Date.now() - 1_000).toISOString(), speedPercent: 104, behindMs: 400 },
  ],
};

const stream = (state: string) => ({
  state,
  session: null,
  publisher: null,
  video: null,
  audio: null,
  inbound: { samples: [], keyframeSeconds: null },
  output: null,
  diagnosis: [],
});

const show = (state: string, answer: { status?: number; body: unknown }) =>
  showPage(() => <StreamHealth />, {
    'GET /api/admin/stream': { body: stream(state) },
    'GET /api/admin/metrics/video': { body: {} },
    'GET /api/admin/video/ladder': answer,
  });

describe('the encoder on the page about health', () => {
  test('says how it does, what is offered, what is left out and why it last stopped', async () => {
    show('live', { body: { ladder } });
    expect(await screen.findByText('Keeps up.')).toBeTruthy();
    expect(screen.getByText('Software (x264)')).toBeTruthy();
    expect(screen.getByText('ffmpeg does not answer')).toBeTruthy();
    expect(screen.getByText('not offered right now').closest('dd')?.textContent).toContain('854 × 480');
    expect(screen.getByText('left out: this stream has no video')).toBeTruthy();
    expect(screen.getByLabelText(/^Speed\. Speed: between 104% and 104%/)).toBeTruthy();
    expect(screen.getByLabelText(/^Behind the stream\. .* between 0.4 s and 0.9 s/)).toBeTruthy();
  });

  test('says that sound is left out which it could not encode', async () => {
    const sound = { kbps: 128, channels: 2, offered: false, givenUp: true };
    show('live', { body: { ladder: { ...ladder, rungs: [], sound } } });
    const words = await screen.findByText('left out of this stream: ffmpeg could not encode it');
    expect(words.closest('dd')?.textContent).toContain('AAC');
    expect(screen.queryByText('not offered right now')).toBeNull();
  });

  test('says by its code why it stopped and what is left out', async () => {
    const coded: LadderState = {
      ...ladder,
      failureCode: 'ffmpeg-gave-up',
      failureParams: { complaint: 'no space left' },
      leftOut: [{ variant: 3, name: 'Twin', reason: 'in English', code: 'quality-same-as', params: { number: 2 } }],
    };
    show('live', { body: { ladder: coded } });
    await screen.findByText(/ffmpeg gave up: no space left/);
    expect(screen.getByText(/left out: for this stream it is the same as quality 2/)).toBeTruthy();
  });

  test('is not there while everything is passed through', async () => {
    const { sent } = show('live', { body: { ladder: null } });
    await screen.findByText('No player has reported yet');
    expect(sent.some((request) => request.path === '/api/admin/video/ladder')).toBe(true);
    expect(screen.queryByText('Transcoding')).toBeNull();
  });

  test('is not asked for while nobody broadcasts', async () => {
    const { sent } = show('offline', { body: { ladder: null } });
    await screen.findByText(/You are not live/);
    expect(sent.some((request) => request.path === '/api/admin/video/ladder')).toBe(false);
  });

  test('a failed load can be tried again', async () => {
    show('live', { status: 503, body: { success: false, message: 'busy' } });
    expect(await screen.findByText('Try again')).toBeTruthy();
  });

  test.each([
    [{}, 'fine'],
    [{ speedPercent: null }, 'starting'],
    [{ speedPercent: 80 }, 'slow'],
    [{ hurries: true, speedPercent: 80 }, 'hurries'],
    [{ running: false, hurries: true }, 'down'],
    [{ running: false, speedPercent: null, lastFailure: null }, 'starting'],
  ] as [Partial<LadderState>, Doing][])('with %o it is said to be %s', (change, doing) => {
    expect(doingOf({ ...ladder, ...change })).toBe(doing);
  });
});

describe('past streams', () => {
  const list = (body: unknown) => showPage(() => <PastStreams />, { 'GET /api/admin/streams': { body } });
  const past = {
    id: 'a',
    startedAt: '2026-01-02T12:00:00Z',
    endedAt: '2026-01-02T13:02:33Z',
    peakViewers: 1234,
    title: 'Harbour walk',
  };

  test('tell when, what, how long and for how many at most', async () => {
    list([past, { ...past, id: 'b', endedAt: null, title: '', peakViewers: 3 }]);
    expect(await screen.findByText('Harbour walk')).toBeTruthy();
    expect(document.querySelector('time')?.getAttribute('datetime')).toBe(past.startedAt);
    expect(screen.getByText('1:02:33')).toBeTruthy();
    expect(screen.getByText('1,234')).toBeTruthy();
    expect(screen.getByText('Untitled')).toBeTruthy();
  });

  test('none yet has words of its own', async () => {
    list([]);
    expect(await screen.findByText('No streams yet')).toBeTruthy();
  });
});

import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { roundUp } from '../src/admin/charts/draw.ts';
import { embedCode } from '../src/admin/home/WatchCard.tsx';
import { draw } from '../src/admin/live/Chart.tsx';
import { inboundFacts } from '../src/admin/live/LiveCard.tsx';
import { Home } from '../src/admin/pages/Home.tsx';
import { PastStreams } from '../src/admin/pages/PastStreams.tsx';
import { createSettings, SettingsContext } from '../src/admin/settings.tsx';
import { Toasts } from '../src/design/toasts.tsx';
import type { AdminStatus, AdminStream, InboundSample } from '../src/wire.ts';
import { answerWith, dialogsOpen, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const status: AdminStatus = {
  broadcaster: null,
  currentBroadcast: null,
  health: null,
  online: true,
  streamState: 'live',
  streamTitle: '',
  versionNumber: '0.3.0',
  viewerCount: 17,
  overallPeakViewerCount: 41,
  sessionPeakViewerCount: 20,
};
const offline: AdminStream = {
  state: 'offline',
  session: null,
  publisher: null,
  video: null,
  audio: null,
  inbound: { samples: [], keyframeSeconds: null },
  output: null,
  diagnosis: [],
};
const live: AdminStream = {
  state: 'live',
  session: { id: '1', startedAt: '2026-01-02T11:48:00Z', peakViewers: 23, title: 'Evening walk' },
  publisher: {
    address: '192.0.2.7:51234',
    encoder: 'OBS 31',
    keyName: 'Laptop',
    protocol: 'rtmps',
    connectedAt: '2026-01-02T11:48:00Z',
  },
  video: { codec: 'H.264', codecString: 'avc1.640028', width: 1920, height: 1080, frameRate: 29.97 },
  audio: { codec: 'AAC', codecString: 'mp4a.40.2', sampleRate: 44_100, channels: 2 },
  inbound: {
    samples: [{ at: '2026-01-02T12:00:00Z', kbps: 6020, fps: 30, jitterMs: 4, dropped: 0 }],
    keyframeSeconds: 10,
  },
  output: { partSeconds: 0.5, segmentSeconds: 2 },
  diagnosis: [
    {
      level: 'warning',
      code: 'keyframe-interval',
      message: 'Keyframes arrive every 10 s: set 2 s in OBS.',
      params: { seconds: 10, wanted: 2 },
    },
  ],
};

function home(stream: AdminStream, more: Parameters<typeof answerWith>[0] = {}) {
  const routes: Parameters<typeof answerWith>[0] = {
    'GET /api/admin/stream': { body: stream },
    'GET /api/admin/serverconfig': {
      body: {
        streamKeys: [{ key: 'k', comment: '' }],
        rtmpServerPort: 1935,
        webServerPort: 8080,
        streamKeyOverridden: false,
      },
    },
    'GET /api/admin/logs': { body: [] },
    ...more,
  };
  const { sent, fakeFetch } = answerWith(routes);
  vi.stubGlobal('fetch', fakeFetch);
  render(() => (
    <SettingsContext.Provider value={createSettings()}>
      <Home status={status} />
      <Toasts />
    </SettingsContext.Provider>
  ));
  return { sent, routes };
}

describe('Home', () => {
  test('offline, it waits for the stream and shows where to send it', async () => {
    home(offline);
    expect(await screen.findByText('Waiting for your stream…')).toBeTruthy();
    expect(await screen.findByText('rtmp://localhost/live')).toBeTruthy();
    expect(screen.queryByText('You are live')).toBeNull();
  });

  test('notices by itself when the stream arrives', async () => {
    vi.useFakeTimers();
    const { routes } = home(offline);
    await vi.advanceTimersByTimeAsync(0);
    routes['GET /api/admin/stream'] = { body: live };
    await vi.advanceTimersByTimeAsync(2_000);
    expect(screen.getByText('You are live')).toBeTruthy();
    expect(screen.queryByText('Waiting for your stream…')).toBeNull();
  });

  test('live, it says for how long, for whom, what arrives and what to change', async () => {
    home(live);
    expect(await screen.findByText('12:00')).toBeTruthy();
    for (const text of ['17', '23', '41', '6 Mbit/s', 'OBS 31', 'Laptop']) expect(screen.getByText(text)).toBeTruthy();
    const advice = screen.getByText(/2.s in your encoder/);
    expect(advice.closest('.concern')?.getAttribute('data-level')).toBe('warning');
  });

  test('with the publisher away, it says what viewers see', async () => {
    home({ ...live, state: 'waiting', publisher: null });
    expect(await screen.findByText('The connection was lost')).toBeTruthy();
    expect(screen.getByText(/Viewers see a placeholder/)).toBeTruthy();
  });

  test('disconnects only after a question', async () => {
    const { sent } = home(live, { 'POST /api/admin/disconnect': { body: { success: true, message: 'ok' } } });
    const posts = () => sent.filter((request) => request.method === 'POST').map((request) => request.path);
    fireEvent.click(await screen.findByText('Disconnect'));
    expect(posts()).toEqual([]);
    fireEvent.click(screen.getByText('End the stream'));
    expect(await screen.findByText('The stream was disconnected.')).toBeTruthy();
    expect(posts()).toEqual(['/api/admin/disconnect']);
  });

  test('says why when it could not disconnect', async () => {
    const refused = { status: 400, body: { success: false, message: 'nobody is streaming' } };
    home(live, { 'POST /api/admin/disconnect': refused });
    fireEvent.click(await screen.findByText('Disconnect'));
    fireEvent.click(screen.getByText('End the stream'));
    expect(await screen.findByText('nobody is streaming')).toBeTruthy();
  });
});

test('what arrives is told line by line, without empty lines', () => {
  expect(inboundFacts(live).map((fact) => `${fact.label}: ${fact.value}`)).toEqual([
    'Video: 1920 × 1080, 30 frames/s, H.264',
    'Audio: AAC, 44.1 kHz, stereo',
    'Keyframes: every 10\u00a0s',
    'Output: parts of 0.5\u00a0s, segments of 2\u00a0s',
    'Encoder: OBS 31',
    'Stream key: Laptop',
    'Source address: 192.0.2.7:51234 (RTMPS)',
  ]);
  expect(inboundFacts(offline)).toEqual([]);
});

test('the code for other pages is a frame with the address of the player', () => {
  expect(embedCode('https://live.example.org')).toContain('<iframe src="https://live.example.org/embed/video"');
});

describe('the chart', () => {
  const sample = (second: number, kbps: number): InboundSample => ({
    at: new Date(Date.UTC(2026, 0, 2, 12, 0, second)).toISOString(),
    kbps,
    fps: 30,
    jitterMs: 0,
    dropped: 0,
  });

  test('has the newest second at its right end', () => {
    expect(draw([sample(0, 500), sample(1, 1000)])).toEqual({
      line: 'M119.0 20.0L120.0 0.0',
      area: 'M119.0 41L119.0 20.0L120.0 0.0L120.0 41Z',
      top: 1000,
    });
  });

  test('shows an outage as a gap and leaves out what is older than two minutes', () => {
    const { line } = draw([sample(-200, 9), sample(0, 10), sample(30, 10)]);
    expect(line).toBe('M89.0 0.0h2M118.0 0.0h2');
  });

  test('stays a chart when nothing arrives', () => {
    expect(draw([sample(0, 0)])).toMatchObject({ line: 'M118.0 40.0h2', top: 1 });
    expect(draw([])).toEqual({ line: '', area: '', top: 1 });
  });

  test.each([
    [0, 1],
    [640, 1000],
    [1000, 1000],
    [1001, 2000],
    [2400, 5000],
    [6020, 10_000],
  ])('the scale for %i kbit/s ends at %i', (value, top) => {
    expect(roundUp(value)).toBe(top);
  });
});

describe('past streams', () => {
  const show = (answer: { status?: number; body: unknown }) => {
    vi.stubGlobal('fetch', answerWith({ 'GET /api/admin/streams': answer }).fakeFetch);
    render(() => <PastStreams />);
  };

  test('are listed with their length; the one that is on is marked', async () => {
    const ended = { id: '1', startedAt: '2026-01-01T10:00:00Z', endedAt: '2026-01-01T12:12:00Z', peakViewers: 41 };
    show({
      body: [
        { id: '2', startedAt: '2026-01-02T10:00:00Z', endedAt: null, peakViewers: 5, title: 'Now' },
        { ...ended, title: '' },
      ],
    });
    expect(await screen.findByText('2:12:00')).toBeTruthy();
    expect(screen.getByText('Untitled')).toBeTruthy();
    expect(screen.getByText('Live').closest('tr')?.textContent).toContain('Now');
  });

  test('the first day has words too', async () => {
    show({ body: [] });
    expect(await screen.findByText('No streams yet')).toBeTruthy();
  });

  test('a failed load says so', async () => {
    show({ status: 503, body: { success: false, message: 'the database is busy' } });
    expect(await screen.findByText('the database is busy')).toBeTruthy();
  });
});

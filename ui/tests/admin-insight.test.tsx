import { cleanup, fireEvent, render, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { viewerLines, wholePeriods } from '../src/admin/charts/AudienceCharts.tsx';
import { drawLine, thinOut } from '../src/admin/charts/draw.ts';
import { TimeChart } from '../src/admin/charts/TimeChart.tsx';
import { rangePath, rangesSince } from '../src/admin/insight/AudienceOverTime.tsx';
import { HardwareInfo, loadOf } from '../src/admin/insight/HardwareInfo.tsx';
import { chartsOf, playersIn, StreamHealth } from '../src/admin/insight/StreamHealth.tsx';
import { ViewerInfo } from '../src/admin/insight/ViewerInfo.tsx';
import type { PlaybackMetrics } from '../src/admin/insight/wire.ts';
import { percent } from '../src/i18n/format.admin.ts';
import { number } from '../src/i18n/format.ts';
import type { AdminStatus } from '../src/wire.ts';
import { showPage } from './admin-fakes.tsx';
import { answerWith, speakEnglish } from './helpers.ts';

const NOON = Date.parse('2026-01-02T12:00:00Z');

beforeEach(speakEnglish);
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
  sessionPeakViewerCount: 23,
};

describe('a chart over time', () => {
  const points = [0, 1, 2].map((minute) => ({ at: NOON + minute * 60_000, value: minute * 5 }));

  test('tells its numbers to those who do not see it, and as a table on demand', () => {
    render(() => (
      <TimeChart title="Viewers over time" lines={[{ label: 'Viewers', points }]} format={number} everyMs={60_000} />
    ));
    expect(screen.getByRole('img').getAttribute('aria-label')).toBe('Viewers over time. Viewers: between 0 and 10.');
    expect(screen.queryByRole('table')).toBeNull();
    const details = screen.getByText('Show as a table').closest('details') as HTMLDetailsElement;
    details.open = true;
    fireEvent(details, new Event('toggle'));
    const rows = within(screen.getByRole('table')).getAllByRole('row');
    expect(rows.map((row) => row.querySelector('td')?.textContent)).toEqual([undefined, '10', '5', '0']);
  });

  test('a line along the edge is seen in its full width', () => {
    const flat = [0, 10].map((value) => ({
      label: `${value}`,
      points: points.map(({ at }) => ({ at, value })),
    }));
    render(() => <TimeChart title="Edges" lines={flat} format={number} everyMs={60_000} />);
    const [, top = 0, , height = 0] = (screen.getByRole('img').getAttribute('viewBox') ?? '').split(' ').map(Number);
    const heights = [...document.querySelectorAll('.chart-line')].map((line) =>
      Number(line.getAttribute('d')?.match(/^M\S+ ([\d.]+)/)?.[1]),
    );
    expect(heights).toHaveLength(2);
    for (const y of heights) {
      expect(y - top).toBeGreaterThanOrEqual(1);
      expect(top + height - y).toBeGreaterThanOrEqual(1);
    }
  });

  test('without numbers it says so', () => {
    render(() => <TimeChart title="Nothing" lines={[]} format={number} everyMs={60_000} />);
    expect(screen.getByText('Nothing was measured in this period.')).toBeTruthy();
    expect(screen.queryByRole('img')).toBeNull();
  });

  test('its lines end at the edges: nothing outside the range, nothing above the top', () => {
    const scale = { to: NOON, spanMs: 120_000, gapMs: 180_000, top: 10 };
    const line = (at: number, value: number) => ({ at: NOON + at, value });
    expect(drawLine([line(-200_000, 1), line(-60_000, 20), line(0, 5), line(9_000, 5)], scale).line).toBe(
      'M60.0 0.0L120.0 20.0',
    );
  });

  test('a point without neighbours is a dash that can be seen, also at the edges', () => {
    const scale = { to: NOON, spanMs: 120_000, gapMs: 10_000, top: 10 };
    const line = (at: number) => ({ at: NOON + at, value: 5 });
    expect(drawLine([line(-120_000), line(-60_000), line(0)], scale).line).toBe('M0.0 20.0h2M59.0 20.0h2M118.0 20.0h2');
    expect(drawLine([], scale)).toEqual({ line: '', area: '' });
  });

  test('a long list is thinned out evenly and keeps its newest', () => {
    expect(thinOut([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 5)).toEqual([2, 4, 6, 8, 10]);
    expect(thinOut([1, 2, 3, 4, 5, 6, 7], 3).at(-1)).toBe(7);
    expect(thinOut([1, 2], 5)).toEqual([1, 2]);
  });
});

describe('viewers', () => {
  const viewer = {
    firstSeen: '2026-01-02T11:45:00Z',
    geo: null,
    userAgent: 'curl/8.5.0',
    ipAddress: '203.0.113.9',
    clientID: 'a',
  };

  const minutesAgo = (minutes: number) => new Date(NOON - minutes * 60_000).toISOString();
  const point = (time: string, peakViewers: number) => ({
    time,
    viewers: peakViewers / 2,
    peakViewers,
    chatClients: 0,
    peakChatClients: 0,
    messages: 0,
  });
  const history = (minutes: number, points: ReturnType<typeof point>[]) => ({
    from: minutesAgo(minutes),
    to: minutesAgo(0),
    stepSeconds: 60,
    since: minutesAgo(3 * 1440),
    points,
  });

  test('a longer range is offered only where it shows more', () => {
    expect(rangesSince(null, NOON)).toEqual(['1h', '24h']);
    expect(rangesSince(minutesAgo(25 * 60), NOON)).toEqual(['1h', '24h', '7d']);
    expect(rangesSince(minutesAgo(40 * 1440), NOON)).toEqual(['1h', '24h', '7d', '30d', 'all']);
  });

  test('over long periods the average says what the peak does not', () => {
    const known = { points: [point(minutesAgo(1), 8)], between: [0, NOON] as [number, number] };
    const values = (stepSeconds: number) =>
      viewerLines({ ...known, stepSeconds }).map((line) => [line.label, line.points[0]?.value]);
    expect(values(60)).toEqual([['Viewers', 8]]);
    expect(values(900)).toEqual([
      ['Peak', 8],
      ['Average', 4],
    ]);
  });

  test('a stream shorter than its first period is not left of its own chart', () => {
    const points = [point(minutesAgo(2), 8)];
    const told = wholePeriods({ points, stepSeconds: 60, between: [NOON - 90_000, NOON - 80_000] });
    expect(told).toEqual([NOON - 120_000, NOON - 80_000]);
  });

  test('are shown in numbers, over time, and one by one', async () => {
    vi.useFakeTimers({ now: NOON, toFake: ['Date'] });
    showPage(() => <ViewerInfo status={status} />, {
      [`GET ${rangePath('1h')}`]: { body: history(60, [point(minutesAgo(1), 12)]) },
      [`GET ${rangePath('24h')}`]: { body: history(1440, [point(minutesAgo(600), 99)]) },
      'GET /api/admin/viewers': { body: [viewer] },
    });
    const facts = [...document.querySelectorAll('.facts dd')].map((fact) => fact.textContent);
    expect(facts).toEqual(['17', '23', '41']);
    expect(await screen.findByText('203.0.113.9')).toBeTruthy();
    expect(screen.getByText('15 minutes')).toBeTruthy();
    const told = () => document.querySelector('.chart-legend strong')?.textContent;
    await vi.waitFor(() => expect(told()).toBe('12'));
    fireEvent.click(screen.getByText('24 hours'));
    await vi.waitFor(() => expect(told()).toBe('99'));
    expect(screen.getByText('24 hours').getAttribute('aria-pressed')).toBe('true');
    expect(screen.queryByText('30 days')).toBeNull();
  });

  test('what belongs to a stream is not said while there is none', () => {
    showPage(() => <ViewerInfo status={{ ...status, online: false, streamState: 'offline' }} />, {});
    expect(screen.queryByText('Peak this stream')).toBeNull();
    expect(screen.getByText('All-time peak')).toBeTruthy();
  });

  test('nobody there has words of its own', async () => {
    showPage(() => <ViewerInfo status={status} />, {
      [`GET ${rangePath('1h')}`]: { body: history(60, []) },
      'GET /api/admin/viewers': { body: [] },
    });
    expect(await screen.findByText('Nobody is watching')).toBeTruthy();
    expect(await screen.findByText('Nothing was measured in this period.')).toBeTruthy();
  });

  test('a failed load can be tried again', async () => {
    const { routes } = showPage(() => <ViewerInfo />, { 'GET /api/admin/viewers': { body: [] } });
    const again = await screen.findByText('Try again');
    routes[`GET ${rangePath('1h')}`] = { body: history(60, [point(minutesAgo(1), 12)]) };
    fireEvent.click(again);
    expect(await screen.findByText('Viewers over time')).toBeTruthy();
  });
});

describe('hardware', () => {
  const at = '2026-01-02T12:00:00Z';

  test('is told in percent and in words', async () => {
    showPage(() => <HardwareInfo />, {
      'GET /api/admin/hardwarestats': {
        body: {
          cpu: [{ time: at, value: 12.5 }],
          memory: [{ time: at, value: 85 }],
          disk: [{ time: at, value: 97 }],
        },
      },
    });
    expect(await screen.findByText('plenty to spare')).toBeTruthy();
    expect(screen.getByText('getting tight')).toBeTruthy();
    expect(
      screen.getByText('nearly full: free some space soon').closest('[data-load]')?.getAttribute('data-load'),
    ).toBe('full');
    expect(screen.getAllByRole('img')).toHaveLength(3);
    expect(percent(12.5)).toBe('12.5%');
  });

  test('before the first measurement it says when there is one', async () => {
    showPage(() => <HardwareInfo />, { 'GET /api/admin/hardwarestats': { body: { cpu: [], memory: [], disk: [] } } });
    expect(await screen.findByText('Nothing measured yet')).toBeTruthy();
  });

  test('a failed load can be tried again', async () => {
    const { routes } = showPage(() => <HardwareInfo />, {});
    const again = await screen.findByText('Try again');
    routes['GET /api/admin/hardwarestats'] = { body: { cpu: [], memory: [], disk: [] } };
    fireEvent.click(again);
    expect(await screen.findByText('Nothing measured yet')).toBeTruthy();
  });

  test.each([
    ['cpu', 69, 'fine'],
    ['cpu', 70, 'busy'],
    ['cpu', 90, 'full'],
    ['disk', 91, 'busy'],
    ['disk', 92, 'full'],
  ] as const)('%s at %i %% is %s', (part, value, load) => {
    expect(loadOf(part, value)).toBe(load);
  });
});

describe('stream health', () => {
  const none: PlaybackMetrics = {
    errors: [],
    qualityVariantChanges: [],
    highestLatency: [],
    medianLatency: [],
    lowestLatency: [],
    medianSegmentDownloadDuration: [],
    maximumSegmentDownloadDuration: [],
    minimumSegmentDownloadDuration: [],
    minPlayerBitrate: [],
    medianPlayerBitrate: [],
    maxPlayerBitrate: [],
    availableBitrates: [],
    segmentLength: 2,
    representation: 0,
  };
  const reporting = { players: 4, troubledPlayers: 0, slowPlayers: 0, neededKbps: null };
  const offline = {
    state: 'offline',
    session: null,
    publisher: null,
    video: null,
    audio: null,
    inbound: { samples: [], keyframeSeconds: null },
    output: null,
    diagnosis: [],
  };
  const show = (metrics: PlaybackMetrics, change: Partial<AdminStatus> = {}) =>
    showPage(() => <StreamHealth status={{ ...status, ...change }} />, {
      'GET /api/admin/stream': { body: offline },
      'GET /api/admin/metrics/video': { body: metrics },
    });

  test('before any player has reported it says so', async () => {
    const health = { ...reporting, healthy: true, healthPercentage: 100, message: '', representation: 0, players: 0 };
    show(none, { health });
    expect(await screen.findByText('No player has reported yet')).toBeTruthy();
    expect(screen.queryByText(/plays? without trouble/)).toBeNull();
    expect(await screen.findByText(/You are not live/)).toBeTruthy();
  });

  test('shows how far behind viewers are and how many report', async () => {
    const at = (value: number) => [{ time: '2026-01-02T12:00:00Z', value }];
    const message = 'Check your upload.';
    const health = { ...reporting, healthy: false, healthPercentage: 61, message, representation: 80 };
    show(
      { ...none, lowestLatency: at(1.4), medianLatency: at(2.2), highestLatency: at(5.6), representation: 80 },
      { health },
    );
    expect(await screen.findByText('2.2 s')).toBeTruthy();
    expect(screen.getByText(/^80% of players report/)).toBeTruthy();
    expect(screen.getByText('Check your upload.').closest('.banner')?.getAttribute('data-tone')).toBe('warning');
  });

  test('says first how many viewers stall, and whether their connections are why', () => {
    const health = { ...reporting, healthy: false, healthPercentage: 90, message: '', representation: 80 };
    const said = (troubledPlayers: number, slowPlayers: number) =>
      playersIn({ ...health, players: 41, troubledPlayers, slowPlayers, neededKbps: 2000 });
    expect(said(0, 0)).toBe('All 41 players that report play without trouble.');
    expect(said(3, 0)).toBe('3 of 41 viewers stall.');
    expect(said(3, 3)).toBe('3 of 41 viewers stall: their connections are slower than 2 Mbit/s.');
    expect(said(3, 2)).toBe('3 of 41 viewers stall; 2 of them have connections slower than 2 Mbit/s.');
  });

  test('compares what viewers can fetch with what the stream needs', () => {
    vi.stubGlobal('fetch', answerWith({}).fakeFetch);
    expect(chartsOf({ ...none, availableBitrates: [6000, 2500] }).at(-1)?.text).toBe(
      'Your stream needs 6 Mbit/s, 2.5 Mbit/s. Viewers below that have to wait.',
    );
  });

  test('a list the server leaves out is an empty one', () => {
    expect(
      chartsOf({ segmentLength: 2 } as PlaybackMetrics).every((chart) => chart.lines[0]?.points.length === 0),
    ).toBe(true);
  });
});

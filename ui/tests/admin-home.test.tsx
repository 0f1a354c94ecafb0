import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { publicAddress } from '../src/admin/home/addresses.ts';
import { concernsOf, type Facts } from '../src/admin/home/attention.ts';
import { PreviewCard } from '../src/admin/home/PreviewCard.tsx';
import { Home } from '../src/admin/pages/Home.tsx';
import type { Settings } from '../src/admin/settings.tsx';
import type { AdminStatus, AdminStream, Setting } from '../src/wire.ts';
import { type Routes, showPage } from './admin-fakes.tsx';
import { setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** Of a server without anything to look after. */
const UPKEEP = { disk: null, canBackUp: false, lastBackupAt: null, certificateEndsAt: null };
const NOW = '2026-06-30T12:00:00Z';
const GIB = 2 ** 30;
const disk = (free: number, total: number) => ({ freeBytes: free * GIB, totalBytes: total * GIB });
const watched = { overallPeakViewerCount: 3 } as AdminStatus;

const concerns = (facts: Partial<Facts>) => concernsOf({ now: NOW, find: () => undefined, ...facts });
const ids = (facts: Partial<Facts>) => concerns(facts).map(({ id, level }) => `${level}: ${id}`);
const finding = (...all: Setting[]) => ({ find: (path: string) => all.find((one) => one.path === path) });

describe('what needs attention', () => {
  test('is nothing while nothing is known', () => {
    expect(concerns({})).toEqual([]);
  });

  test.each([
    ['much room', disk(500, 1000), []],
    ['a tenth of a very large disk', disk(90, 1000), []],
    ['a tenth of a small disk', disk(3, 40), ['warning: disk']],
    ['the last GiB of a tiny disk', disk(0.9, 4), ['warning: disk']],
    ['next to nothing', disk(0.2, 4), ['error: disk']],
    ['next to nothing of a large disk', disk(20, 1000), ['error: disk']],
  ])('%s', (_, space, expected) => {
    expect(ids({ upkeep: { ...UPKEEP, disk: space } })).toEqual(expected);
  });

  test('a backup is asked for once there is something to lose, and again after a month', () => {
    const upkeep = (lastBackupAt: string | null) => ({ ...UPKEEP, canBackUp: true, lastBackupAt });
    expect(ids({ upkeep: upkeep(null) })).toEqual([]);
    expect(ids({ upkeep: upkeep(null), status: watched })).toEqual(['info: backup']);
    expect(ids({ upkeep: upkeep('2026-06-20T12:00:00Z'), status: watched })).toEqual([]);
    const [old] = concerns({ upkeep: upkeep('2026-05-15T12:00:00Z'), status: watched });
    expect(old).toMatchObject({ level: 'warning', text: 'The last backup was made last month.' });
  });

  test('a database that other tools save is not asked for', () => {
    expect(ids({ upkeep: UPKEEP, status: watched })).toEqual([]);
  });

  test.each([
    ['2026-08-30T12:00:00Z', []],
    ['2026-07-10T12:00:00Z', ['warning: certificate']],
    ['2026-07-01T12:00:00Z', ['error: certificate']],
    ['2026-06-01T12:00:00Z', ['error: certificate']],
  ])('a certificate that ends at %s', (certificateEndsAt, expected) => {
    expect(ids({ upkeep: { ...UPKEEP, certificateEndsAt } })).toEqual(expected);
  });

  test('what nobody has changed since the installation is said, the missing key first', () => {
    const untouched = finding(
      setting({ path: 'serverurl', value: '', source: 'default' }),
      setting({ path: 'name', value: 'New Rillcast server', source: 'default' }),
      setting({ path: 'pagecontent', value: '# Welcome', source: 'default' }),
      setting({ path: 'streamkeys', kind: 'streamkeys', value: [] }),
    );
    expect(ids(untouched)).toEqual(['error: keys', 'info: url', 'info: name', 'info: page']);
    const chosen = finding(
      setting({ path: 'serverurl', value: 'https://live.example.org' }),
      setting({ path: 'name', value: 'Brook' }),
      setting({ path: 'streamkeys', kind: 'streamkeys', value: [{ key: 'k', comment: '' }] }),
    );
    expect(ids(chosen)).toEqual([]);
  });

  test('what the encoder could do better is said in the words of the page, or the server’s where it has none', () => {
    const found = [
      { level: 'warning', code: 'new-picture', message: 'Send H.264.', params: {} },
      { level: 'warning', code: 'jitter', message: 'Uneven.', params: { milliseconds: 200 } },
    ];
    const stream = { diagnosis: found } as AdminStream;
    expect(concerns({ stream })).toEqual([
      {
        id: 'stream-new-picture',
        level: 'warning',
        text: 'Send H.264.',
        action: { label: 'Video', href: '/admin/config/video' },
      },
      {
        id: 'stream-jitter',
        level: 'warning',
        text: 'Frames arrive unevenly (200\u00a0ms). The connection to this server is unsteady.',
        action: undefined,
      },
    ]);
  });

  test('deliveries that fail are counted, and only fresh errors of the log', () => {
    const hook = (state: string) => ({ state }) as never;
    const found = concerns({
      webhooks: [hook('active'), hook('failing'), hook('failing'), hook('disabled')],
      deliveries: { heldHosts: 1 } as never,
      logs: [
        { level: 'error', time: '2026-06-30T11:00:00Z', message: 'new' },
        { level: 'error', time: '2026-06-29T11:00:00Z', message: 'old' },
        { level: 'warning', time: '2026-06-30T11:00:00Z', message: 'mild' },
      ],
    });
    expect(found.map(({ text }) => text)).toEqual([
      '2 webhooks are failing.',
      '1 webhook was turned off after failing for too long.',
      '1 error in the log of the last 24 hours.',
      '1 Fediverse server cannot be reached; posts for it are waiting.',
    ]);
  });
});

describe('addresses', () => {
  const settings = (value: string, loaded = true) =>
    ({ loaded: () => loaded, find: () => setting({ path: 'serverurl', value }) }) as unknown as Settings;

  test('are those of the setting, whatever the operator’s browser shows', () => {
    expect(publicAddress(settings('https://live.example.org/'))).toEqual({
      base: 'https://live.example.org',
      hostname: 'live.example.org',
      isGuessed: false,
    });
  });

  test('are the browser’s without it, and said to be a guess only once that is known', () => {
    expect(publicAddress(settings(''))).toMatchObject({ base: 'http://localhost', isGuessed: true });
    expect(publicAddress(settings('', false)).isGuessed).toBe(false);
  });
});

describe('Home', () => {
  const routes = (more: Routes = {}): Routes => ({
    'GET /api/admin/upkeep': { body: { ...UPKEEP, disk: disk(200, 400), canBackUp: true } },
    'GET /api/admin/webhooks': { body: [] },
    'GET /api/admin/federation/deliveries/summary': { body: { heldHosts: 0 } },
    'GET /api/admin/plugins': { body: [] },
    'GET /api/admin/logs': { body: [] },
    'GET /api/admin/serverconfig': {
      body: { streamKeys: [{ key: 'k', comment: '' }], rtmpServerPort: 1935, streamKeyOverridden: false },
    },
    ...more,
  });

  test('says so when nothing needs attention', async () => {
    showPage(() => <Home />, routes(), [setting({ path: 'serverurl', value: 'https://live.example.org' })]);
    expect(await screen.findByText('Nothing needs your attention.')).toBeTruthy();
    expect(await screen.findByText('200 GB of 400 GB free')).toBeTruthy();
  });

  test('gives away the public address, also for the encoder', async () => {
    showPage(() => <Home />, routes(), [setting({ path: 'serverurl', value: 'https://live.example.org' })]);
    expect(await screen.findByText('https://live.example.org/hls/stream.m3u8')).toBeTruthy();
    expect(await screen.findByText('rtmp://live.example.org/live')).toBeTruthy();
    expect(screen.queryByText('Set the server URL')).toBeNull();
  });

  test('without one it says where the address comes from', async () => {
    showPage(() => <Home />, routes(), [setting({ path: 'serverurl', value: '' })]);
    expect(await screen.findByText('Set the server URL')).toBeTruthy();
    expect(screen.getByText('http://localhost/hls/stream.m3u8')).toBeTruthy();
    expect(screen.getByText(/does not know its public address/)).toBeTruthy();
  });

  test('a server that does not answer one question still says what it knows', async () => {
    const old = routes({ 'GET /api/admin/upkeep': { status: 404, body: {} } });
    showPage(() => <Home />, old, [setting({ path: 'serverurl', value: '' })]);
    expect(await screen.findByText(/does not know its public address/)).toBeTruthy();
    expect(screen.queryByText('This server')).toBeNull();
  });
});

test('the preview is a picture that renews itself, and the player only on request', async () => {
  vi.useFakeTimers();
  showPage(() => <PreviewCard />, {});
  const picture = () => screen.getByAltText<HTMLImageElement>('The newest picture of the stream').src;
  const first = picture();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(picture()).not.toBe(first);
  fireEvent.click(screen.getByText('Play here'));
  expect(screen.getByTitle('The stream, without sound').getAttribute('src')).toBe(
    '/embed/video?initiallyMuted=true&preview=true',
  );
  fireEvent.click(screen.getByText('Stop'));
  expect(picture()).toContain('/thumbnail.jpg');
});

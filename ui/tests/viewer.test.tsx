import { cleanup, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { platformName } from '../src/viewer/platforms';
import type { PlayerProps } from '../src/viewer/player/Player.tsx';
import { Viewer } from '../src/viewer/Viewer.tsx';
import type { SiteConfig, Status } from '../src/wire.ts';
import { answerWith, speakEnglish } from './helpers.ts';

/** The player has tests of its own; here it only has to be there and to say what it is doing. */
const player = vi.hoisted(() => ({ props: undefined as PlayerProps | undefined }));
vi.mock('../src/viewer/player/Player.tsx', () => ({
  Player: (props: PlayerProps) => {
    player.props = props;
    return 'a player';
  },
}));
vi.mock('../src/viewer/player/engine.ts', async (original) => ({
  ...(await original<typeof import('../src/viewer/player/engine.ts')>()),
  loadEngine: async () => () => ({}),
}));

const config: SiteConfig = {
  name: 'Brook Radio',
  summary: 'By the water.',
  logo: '/logo',
  tags: ['music'],
  version: '0.3.0',
  nsfw: false,
  hideViewerCount: false,
  extraPageContent: '<p>A shed.</p>',
  offlineMessage: '',
  socialHandles: [{ platform: 'github', url: 'https://github.com/brook' }],
};
const offline: Status = {
  serverTime: '2026-01-02T12:00:00Z',
  lastConnectTime: null,
  lastDisconnectTime: '2026-01-02T09:00:00Z',
  versionNumber: '0.3.0',
  streamTitle: 'Evening walk',
  online: false,
  streamState: 'offline',
  viewerCount: 0,
};
const live: Status = {
  ...offline,
  online: true,
  streamState: 'live',
  lastConnectTime: '2026-01-02T11:48:00Z',
  viewerCount: 2,
};

beforeEach(speakEnglish);
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const show = (change: { config?: Partial<SiteConfig>; status?: Status } = {}) =>
  render(() => <Viewer boot={{ config: { ...config, ...change.config }, status: change.status ?? offline }} />);

describe('the viewer page', () => {
  test('offline, it says when the stream was last live', () => {
    show();
    expect(document.querySelector('#offline-banner')?.textContent).toContain('Last live 3 hours ago');
    expect(screen.getByText(/Nothing is on right now/)).toBeTruthy();
    expect(document.querySelector('#player')).toBeNull();
  });

  test('the operator’s message replaces ours', () => {
    show({ config: { offlineMessage: '<p>Back on <b>Friday</b>.</p>' } });
    expect(document.querySelector('#offline-banner')?.textContent).toContain('Back on Friday.');
    expect(screen.queryByText(/Nothing is on right now/)).toBeNull();
  });

  test('offline, the header alone says the name where it can be seen', () => {
    show();
    expect(document.querySelector('#offline-title')?.textContent).toBe('The stream is offline');
    expect(document.querySelector('#global-header-text')?.textContent).toBe('Brook Radio');
  });

  test('the operator’s picture is behind the offline message, and nobody else’s', () => {
    show({ config: { offlinePicture: '/offline-picture?v=1' } });
    const banner = document.querySelector<HTMLElement>('#offline-banner');
    expect(banner?.style.getPropertyValue('--offline-picture')).toBe('url("/offline-picture?v=1")');
    expect(banner?.dataset.picture).toBe('');
    cleanup();
    show({ config: { offlinePicture: 'https://elsewhere.example/x.png' } });
    expect(document.querySelector<HTMLElement>('#offline-banner')?.dataset.picture).toBeUndefined();
  });

  test('live, it shows the title, since when, and how many watch', () => {
    show({ status: live });
    expect(document.querySelector('#player')?.getAttribute('data-state')).toBe('starting');
    expect(document.querySelector('h1')?.textContent).toBe('Evening walk');
    expect(screen.getByText('Live for 12 minutes')).toBeTruthy();
    expect(screen.getByText('2 viewers')).toBeTruthy();
    expect(document.querySelector('#offline-banner')).toBeNull();
    expect(document.title).toBe('Evening walk · Brook Radio');
  });

  test('live, the time since the start goes on by itself', async () => {
    vi.useFakeTimers();
    vi.stubGlobal('fetch', () => new Promise(() => {}));
    show({ status: live });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(screen.getByText('Live for 13 minutes')).toBeTruthy();
  });

  test('the number of viewers stays hidden where the operator wants it so', () => {
    show({ status: live, config: { hideViewerCount: true } });
    expect(screen.queryByText('2 viewers')).toBeNull();
  });

  test('it notices by itself when the stream starts', async () => {
    vi.useFakeTimers();
    const { fakeFetch } = answerWith({ 'GET /api/status': { body: live }, 'GET /api/config': { body: config } });
    vi.stubGlobal('fetch', fakeFetch);
    show();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(document.querySelector('#player')).not.toBeNull();
    expect(document.querySelector('.state-tag')?.textContent).toBe('Live');
  });

  test('live, it asks less often what is on', async () => {
    vi.useFakeTimers();
    const { sent, fakeFetch } = answerWith({ 'GET /api/status': { body: live }, 'GET /api/config': { body: config } });
    vi.stubGlobal('fetch', fakeFetch);
    show({ status: live });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sent.filter(({ path }) => path === '/api/status')).toHaveLength(4);
  });

  test('it says so when the connection is lost and keeps what it shows', async () => {
    vi.useFakeTimers();
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('network')));
    show();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(screen.getByText('Connection lost, retrying…')).toBeTruthy();
    expect(document.querySelector('#offline-banner')).not.toBeNull();
  });
});

describe('the place of the picture', () => {
  const answering = (status: Status) => {
    const routes = { 'GET /api/status': { body: status }, 'GET /api/config': { body: config } };
    vi.stubGlobal('fetch', answerWith(routes).fakeFetch);
    return (next: Status) => {
      routes['GET /api/status'] = { body: next };
    };
  };

  test('shows on itself what the player does', async () => {
    answering(live);
    show({ status: live });
    await screen.findByText('a player');
    player.props?.onState('playing');
    player.props?.onLatency(1.234);
    const place = document.querySelector<HTMLElement>('#player');
    expect(place?.dataset).toMatchObject({ state: 'playing', latency: '1.23' });
    expect(place?.querySelector('img')).toBeNull();
  });

  test('tells the player whether the stream begins or only this page', async () => {
    answering(live);
    show({ status: live });
    await screen.findByText('a player');
    expect(player.props?.isNew).toBe(false);
    cleanup();
    show({ status: { ...live, lastConnectTime: '2026-01-02T11:59:57Z' } });
    await screen.findByText('a player');
    expect(player.props?.isNew).toBe(true);
  });

  test('keeps the player while the publisher is away', async () => {
    vi.useFakeTimers();
    answering({ ...live, streamState: 'waiting' });
    show({ status: live });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(player.props?.stream).toBe('waiting');
    expect(document.querySelector('#player')).not.toBeNull();
    expect(document.querySelector('#header .state-tag')?.textContent).toBe('Interrupted');
    expect(document.querySelector('.status-strip .state-tag')?.textContent).toBe('Interrupted');
  });

  test('lets those who watch see the last seconds before it says that the stream is over', async () => {
    vi.useFakeTimers();
    answering(offline);
    show({ status: live });
    await vi.advanceTimersByTimeAsync(0);
    player.props?.onState('playing');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(document.querySelector('#player')).not.toBeNull();
    player.props?.onState('ended');
    expect(document.querySelector('#offline-banner')).not.toBeNull();
  });

  test('does not wait for an end that never comes', async () => {
    vi.useFakeTimers();
    answering(offline);
    show({ status: live });
    await vi.advanceTimersByTimeAsync(0);
    player.props?.onState('playing');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(document.querySelector('#offline-banner')).not.toBeNull();
  });

  test('says at once that the stream is over to those who saw nothing', async () => {
    vi.useFakeTimers();
    answering(offline);
    show({ status: live });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(document.querySelector('#offline-banner')).not.toBeNull();
  });
});

describe('platform names', () => {
  test.each([
    ['github', 'GitHub'],
    ['mastodon', 'Mastodon'],
    ['my own site', 'My own site'],
    ['XMPP', 'XMPP'],
  ])('%s is shown as %s', (id, name) => {
    expect(platformName(id)).toBe(name);
  });
});

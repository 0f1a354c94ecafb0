import { cleanup, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { platformName } from '../src/viewer/platforms';
import { Viewer } from '../src/viewer/Viewer.tsx';
import type { SiteConfig, Status } from '../src/wire.ts';
import { answerWith, speakEnglish } from './helpers.ts';

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
  viewerCount: 0,
};
const live: Status = { ...offline, online: true, lastConnectTime: '2026-01-02T11:48:00Z', viewerCount: 2 };

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
    expect(screen.getByText(/There is nothing on right now/)).toBeTruthy();
    expect(document.querySelector('#player')).toBeNull();
  });

  test('the operator’s message replaces ours', () => {
    show({ config: { offlineMessage: '<p>Back on <b>Friday</b>.</p>' } });
    expect(document.querySelector('#offline-banner')?.textContent).toContain('Back on Friday.');
    expect(screen.queryByText(/There is nothing on right now/)).toBeNull();
  });

  test('live, it shows the title, since when, and how many watch', () => {
    show({ status: live });
    expect(document.querySelector('#player')?.textContent).toContain('Evening walk');
    expect(screen.getByText('Live for 12 minutes')).toBeTruthy();
    expect(screen.getByText('2 viewers')).toBeTruthy();
    expect(document.querySelector('#offline-banner')).toBeNull();
    expect(document.title).toBe('Evening walk · Brook Radio');
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
    await vi.advanceTimersByTimeAsync(5_000);
    expect(document.querySelector('#player')).not.toBeNull();
    expect(document.querySelector('.state-tag')?.textContent).toBe('Live');
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

// Past streams as the server tells of them, and one that plays.
import { createRoot } from 'solid-js';
import { createReplay, type ReplayOptions } from '../../src/viewer/videos/watch/replay.ts';
import type { Video, VideoSummary } from '../../src/viewer/videos/wire.ts';
import type { SiteConfig, Status } from '../../src/wire.ts';
import { fakeEngines, fakeVideo, type PlayRule } from '../player/fakes.ts';

export const ID = '0123456789abcdef';

export function summary(change: Partial<VideoSummary> = {}): VideoSummary {
  return {
    id: ID,
    title: 'Evening walk',
    summary: '',
    tags: [],
    startedAt: '2026-03-12T18:00:00Z',
    duration: 3753,
    visibility: 'public',
    thumbnail: '',
    playlist: `/hls/videos/${ID}/stream.m3u8`,
    hasChat: false,
    ...change,
  };
}

export const video = (change: Partial<Video> = {}): Video => ({ ...summary(change), chapters: [], ...change });

export const config = (change: Partial<SiteConfig> = {}): SiteConfig => ({
  name: 'Brook Radio',
  summary: '',
  logo: '/logo',
  tags: [],
  version: '1',
  nsfw: false,
  hideViewerCount: false,
  extraPageContent: '',
  offlineMessage: '',
  socialHandles: [],
  chatDisabled: true,
  ...change,
});

export const status = (change: Partial<Status> = {}): Status =>
  ({
    online: false,
    streamState: 'offline',
    streamTitle: '',
    serverTime: '2026-03-13T12:00:00Z',
    lastConnectTime: null,
    lastDisconnectTime: null,
    versionNumber: '1',
    ...change,
  }) as Status;

/** A replay whose engine writes down what it was asked; the element goes wherever it is sent. */
export function fakeReplay(change: Partial<ReplayOptions> & { rule?: PlayRule } = {}) {
  const { rule, ...options } = change;
  const { video: element, state, say } = fakeVideo(rule);
  let time = 0;
  Object.defineProperty(element, 'currentTime', {
    get: () => time,
    set: (to: number) => {
      time = to;
    },
  });
  Object.defineProperty(element, 'duration', { get: () => 600 });
  const engines = fakeEngines();
  const [replay, dispose] = createRoot((end) => [
    createReplay({
      video: element,
      makeEngine: engines.make,
      playlist: '/hls/videos/x/stream.m3u8',
      startAt: 0,
      duration: 600,
      autoplay: 'always',
      startMuted: false,
      onFailed: () => {},
      ...options,
    }),
    end,
  ]);
  /** The picture is there, and at that place. */
  const arrive = (at: number) => {
    time = at;
    say('seeked');
    say('timeupdate');
  };
  return { replay, element, state, say, engines, arrive, dispose };
}

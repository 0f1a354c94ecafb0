/** A video whose playing we decide, and an engine that writes down what it was asked. */
import { vi } from 'vitest';
import type { Engine, EngineOptions, Timeline } from '../../src/viewer/player/engine.ts';

export type PlayRule = 'allowed' | 'muted-only' | 'never';

/** jsdom has the element but no playback. */
export function fakeVideo(rule: PlayRule = 'allowed') {
  const video = document.createElement('video');
  const state = { paused: true, ended: false, readyState: 4, rule };
  for (const name of ['paused', 'ended', 'readyState'] as const) {
    Object.defineProperty(video, name, { get: () => state[name] });
  }
  const say = (event: string) => video.dispatchEvent(new Event(event));
  video.play = vi.fn(async () => {
    const allowed = state.rule === 'allowed' || (state.rule === 'muted-only' && video.muted);
    if (!allowed) throw new DOMException('not without a press', 'NotAllowedError');
    state.paused = false;
    say('play');
    say('playing');
  });
  video.pause = vi.fn(() => {
    state.paused = true;
    say('pause');
  });
  return { video, state, say };
}

export function fakeEngines() {
  const made: (EngineOptions & { engine: Engine })[] = [];
  let behind = 0;
  let latency = () => 1.5;
  let isLiveBuffered = false;
  let shownQuality = -1;
  let timeline: Timeline | undefined;
  const make = vi.fn((_video: HTMLVideoElement, options: EngineOptions): Engine => {
    const engine: Engine = {
      latency: () => latency(),
      behind: () => behind,
      isLiveBuffered: () => isLiveBuffered,
      rescue: vi.fn(),
      seekToLive: vi.fn(() => {
        behind = 0;
      }),
      timeline: () => timeline,
      seek: vi.fn(),
      setLowLatency: vi.fn(),
      forgetStalls: vi.fn(),
      setQuality: vi.fn(),
      shownQuality: () => shownQuality,
      connection: () => ({ bandwidthKbps: 4200 }),
      refreshQualities: vi.fn(),
      reload: vi.fn(),
      mend: vi.fn(),
      destroy: vi.fn(),
    };
    timeline = undefined;
    made.push({ ...options, engine });
    return engine;
  });
  const latest = () => {
    const last = made.at(-1);
    if (!last) throw new Error('no engine was made');
    return last;
  };
  return {
    make,
    made,
    latest,
    setLatency: (measure: () => number) => {
      latency = measure;
    },
    setShown: (id: number) => {
      shownQuality = id;
    },
    setTimeline: (list: Timeline | undefined) => {
      timeline = list;
    },
    setBehind: (seconds: number, isBuffered = false) => {
      behind = seconds;
      isLiveBuffered = isBuffered;
    },
  };
}

import { describe, expect, test, vi } from 'vitest';
import { makeNativeEngine } from '../../src/viewer/player/native-engine.ts';

function safari(begin?: () => number) {
  const video = Object.assign(document.createElement('video'), { getStartDate: () => new Date(1_000_000) });
  video.load = vi.fn();
  const ranges = { length: 1, start: () => 20, end: () => 620 };
  Object.defineProperty(video, 'seekable', { get: () => ranges });
  const noted = { onTrouble: vi.fn(), onQualities: vi.fn(), onUnplayable: vi.fn(), onPlayable: vi.fn() };
  const source = begin ? '/hls/rewind.m3u8' : undefined;
  return { video, engine: makeNativeEngine(video, { lowLatency: true, source, begin, ...noted }) };
}

describe('Safari’s own player', () => {
  test('begins in another list where it was asked to', () => {
    const { video } = safari(() => 100);
    expect(video.getAttribute('src')).toBe('/hls/rewind.m3u8');
    video.dispatchEvent(new Event('loadedmetadata'));
    expect(video.currentTime).toBe(100);
  });

  test('tells what can be reached, and when it was recorded', () => {
    const { video, engine } = safari();
    expect(video.getAttribute('src')).toBe('/hls/stream.m3u8');
    expect(engine.timeline()).toEqual({
      fragments: [{ start: 20, duration: 600, programDateTime: 1_020_000 }],
      edge: 620,
    });
  });
});

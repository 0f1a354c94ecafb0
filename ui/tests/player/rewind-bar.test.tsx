import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Quality, Timeline } from '../../src/viewer/player/engine.ts';
import { Player } from '../../src/viewer/player/Player.tsx';
import { previewQuality } from '../../src/viewer/player/rewind/Preview.tsx';
import { answerWith, speakEnglish } from '../helpers.ts';
import { fakeEngines } from './fakes.ts';

const NOON = Date.parse('2026-01-02T12:00:00Z');
const MINUTE = 60_000;

// It is fetched after the first picture; what is tested is not how long that takes here.
beforeAll(() => import('../../src/viewer/player/rewind/entry.ts').then(() => undefined), 60_000);
beforeEach(async () => {
  await speakEnglish();
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockImplementation(async function play(this: HTMLMediaElement) {
    Object.defineProperty(this, 'paused', { configurable: true, get: () => false });
    Object.defineProperty(this, 'readyState', { configurable: true, get: () => 4 });
    this.dispatchEvent(new Event('play'));
    this.dispatchEvent(new Event('playing'));
  });
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const LIVE_LIST: Timeline = {
  fragments: Array.from({ length: 12 }, (_, at) => ({
    start: at * 2,
    duration: 2,
    programDateTime: NOON - 24_000 + at * 2000,
  })),
  edge: 24,
};

let streams = 0;

async function show({ minutes = 120 as number | undefined, age = 40 * MINUTE } = {}) {
  vi.stubGlobal('fetch', answerWith({ 'GET /api/ping': { body: '' } }).fakeFetch);
  const engines = fakeEngines();
  // Each is another stream: a hint is given once for each.
  streams += 1;
  const since = new Date(NOON - age + streams).toISOString();
  render(() => (
    <Player
      makeEngine={engines.make}
      around={{ name: 'Brook Radio', logo: '/logo' }}
      stream="live"
      since={since}
      isNew={false}
      title="Evening walk"
      autoplay="always"
      startMuted={false}
      rewindMinutes={minutes}
      onState={() => {}}
      onLatency={() => {}}
      onSize={() => {}}
    />
  ));
  engines.setTimeline(LIVE_LIST);
  const video = document.querySelector('video') as HTMLVideoElement;
  video.currentTime = 23;
  video.dispatchEvent(new Event('canplay'));
  await Promise.resolve();
  return { engines, video };
}
const bar = () => screen.findByRole<HTMLInputElement>('slider', { name: 'Rewind the stream' });

describe('the seek bar', () => {
  test('is not there where the server keeps nothing', async () => {
    const { engines } = await show({ minutes: undefined });
    await vi.waitFor(() => expect(document.querySelector('media-control-bar')).toBeTruthy());
    expect(screen.queryByRole('slider', { name: 'Rewind the stream' })).toBeNull();
    expect(engines.made).toHaveLength(1);
  });

  test('is not there either while there is hardly anything to go back to', async () => {
    await show({ age: 10_000 });
    await expect(bar()).rejects.toThrow();
  });

  test('reaches over all of it, stands at its end while one is live, and says so', async () => {
    await show();
    const slider = await bar();
    expect(slider.max).toBe('2400');
    expect(slider.value).toBe(slider.max);
    expect(slider.getAttribute('aria-valuetext')).toBe('Live');
    expect(screen.queryByText('Back to live')).toBeNull();
  });

  test('is moved by a hand only when it lets go, and then plays from the longer list', async () => {
    const { engines } = await show();
    const slider = await bar();
    fireEvent.input(slider, { target: { value: '600' } });
    expect(slider.getAttribute('aria-valuetext')).toBe('30:00 behind live');
    expect(engines.made).toHaveLength(1);
    fireEvent.change(slider, { target: { value: '600' } });
    expect(engines.latest().source).toBe('/hls/rewind.m3u8');
    await screen.findByText('−30:00');
    expect(await screen.findByText('Back to live')).toBeTruthy();
  });

  test('the arrow keys on it go five seconds, and its ends are the oldest picture and live', async () => {
    const { engines } = await show();
    const slider = await bar();
    const { seek, seekToLive } = engines.latest().engine;
    fireEvent.keyDown(slider, { key: 'ArrowLeft' });
    expect(seek).toHaveBeenLastCalledWith(18);
    fireEvent.keyDown(slider, { key: 'End' });
    expect(seekToLive).toHaveBeenCalledTimes(1);
    fireEvent.keyDown(slider, { key: 'Home' });
    expect(engines.latest().source).toBe('/hls/rewind.m3u8');
  });

  test('ten seconds back are one press, and live again another', async () => {
    const { engines } = await show();
    fireEvent.click(await screen.findByRole('button', { name: '10 seconds back' }));
    expect(engines.latest().engine.seek).toHaveBeenLastCalledWith(13);
    fireEvent.click(await screen.findByText('Back to live'));
    expect(engines.latest().engine.seekToLive).toHaveBeenCalledTimes(1);
  });

  test('whoever joins late is told once, and can start at the beginning', async () => {
    const { engines } = await show();
    await screen.findByText('You joined late: the stream has been on for 39 minutes.');
    fireEvent.click(screen.getByText('Watch from the start'));
    expect(engines.latest().source).toBe('/hls/rewind.m3u8');
    expect(screen.queryByText(/You joined late/)).toBeNull();
  });

  test('where not all of it is kept they are offered what there is', async () => {
    await show({ minutes: 30 });
    expect(await screen.findByText('Rewind 30 minutes')).toBeTruthy();
  });

  test('whoever is there from the start is told nothing', async () => {
    await show({ age: MINUTE });
    await bar();
    expect(screen.queryByText(/You joined late/)).toBeNull();
  });

  test('a server that has nothing after all is told of, and the bar goes', async () => {
    const { engines } = await show();
    fireEvent.keyDown(await bar(), { key: 'Home' });
    engines.latest().onTrouble('network');
    await screen.findByText('Rewinding is not possible right now.');
    expect(screen.queryByRole('slider', { name: 'Rewind the stream' })).toBeNull();
  });
});

describe('pictures above the bar', () => {
  const quality = (id: number, height: number, kbps: number): Quality => ({ id, height, kbps });

  test('are those of the smallest quality, where that is small enough for a glance', () => {
    const ladder = [quality(0, 1080, 6000), quality(1, 360, 800), quality(2, 720, 2500), quality(3, 0, 96)];
    expect(previewQuality(ladder)?.id).toBe(1);
    expect(previewQuality([quality(0, 1080, 6000)])).toBeUndefined();
    expect(previewQuality([quality(3, 0, 96)])).toBeUndefined();
  });
});

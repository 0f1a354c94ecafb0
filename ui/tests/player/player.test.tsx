import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Player } from '../../src/viewer/player/Player.tsx';
import type { StreamState } from '../../src/wire.ts';
import { answerWith, speakEnglish } from '../helpers.ts';
import { fakeEngines } from './fakes.ts';

beforeEach(async () => {
  await speakEnglish();
  vi.useFakeTimers();
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockImplementation(async function play(this: HTMLMediaElement) {
    Object.defineProperty(this, 'paused', { configurable: true, get: () => false });
    Object.defineProperty(this, 'readyState', { configurable: true, get: () => 4 });
    this.dispatchEvent(new Event('play'));
    this.dispatchEvent(new Event('playing'));
  });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function show() {
  const { sent, fakeFetch } = answerWith({ 'GET /api/ping': { body: '' } });
  vi.stubGlobal('fetch', fakeFetch);
  const engines = fakeEngines();
  const onState = vi.fn();
  const onSize = vi.fn();
  const onTheatre = vi.fn();
  const [stream, setStream] = createSignal<StreamState>('live');
  const [since, setSince] = createSignal('2026-01-02T11:48:00Z');
  const [isNew, setIsNew] = createSignal(true);
  render(() => (
    <Player
      makeEngine={engines.make}
      around={{ name: 'Brook Radio', logo: '/logo', theatre: { isOn: () => false, toggle: onTheatre } }}
      stream={stream()}
      since={since()}
      isNew={isNew()}
      title="Evening walk"
      autoplay="always"
      startMuted={false}
      onState={onState}
      onLatency={() => {}}
      onSize={onSize}
    />
  ));
  const video = document.querySelector('video') as HTMLVideoElement;
  const start = async () => {
    video.dispatchEvent(new Event('canplay'));
    await vi.advanceTimersByTimeAsync(0);
  };
  return { sent, engines, onSize, onTheatre, onState, setStream, setSince, setIsNew, video, start };
}

const pings = (sent: { path: string }[]) => sent.filter((request) => request.path.startsWith('/api/ping?sid=')).length;

describe('the player', () => {
  test('reports every ten seconds how it plays, while its latency changes all the time', async () => {
    const { sent, engines, setStream, start } = show();
    let seconds = 1;
    engines.setLatency(() => {
      seconds += 0.1;
      return seconds;
    });
    await start();
    const reports = () => sent.filter((request) => request.path.startsWith('/api/metrics/playback?sid=')).length;
    await vi.advanceTimersByTimeAsync(31_000);
    expect(reports()).toBe(3);
    setStream('waiting');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(reports()).toBe(3);
  });

  test('says that the stream is starting until pictures move', async () => {
    const { onState, start, setIsNew } = show();
    expect(screen.getByText('The stream is starting…')).toBeTruthy();
    // One that has been running for a while does not start; only this page does.
    setIsNew(false);
    expect(screen.queryByText('The stream is starting…')).toBeNull();
    expect(screen.getByText('Loading…')).toBeTruthy();
    setIsNew(true);
    await start();
    expect(onState).toHaveBeenLastCalledWith('playing');
    expect(screen.queryByText('The stream is starting…')).toBeNull();
  });

  test('tells the server every five seconds that somebody watches, and only then', async () => {
    const { sent, start, video } = show();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(pings(sent)).toBe(0);
    await start();
    expect(pings(sent)).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(pings(sent)).toBe(3);
    video.dispatchEvent(new Event('pause'));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(pings(sent)).toBe(3);
  });

  test('covers the last frame while the publisher is away, and uncovers it', async () => {
    const { engines, setStream, start, video } = show();
    await start();
    Object.defineProperty(video, 'readyState', { configurable: true, get: () => 2 });
    setStream('waiting');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(screen.getByText(/The streamer lost the connection/)).toBeTruthy();
    Object.defineProperty(video, 'readyState', { configurable: true, get: () => 4 });
    setStream('live');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(screen.queryByText(/The streamer lost the connection/)).toBeNull();
    expect(engines.latest().engine.forgetStalls).toHaveBeenCalledTimes(1);
  });

  test('starts anew for the next stream after the end of one', async () => {
    const { engines, setSince, start, video } = show();
    await start();
    video.dispatchEvent(new Event('ended'));
    expect(screen.getByText('The stream has ended')).toBeTruthy();
    setSince('2026-01-02T12:30:00Z');
    expect(engines.made).toHaveLength(2);
    expect(screen.queryByText('The stream has ended')).toBeNull();
  });

  test('offers another try when many were in vain', async () => {
    const { engines, onState } = show();
    for (let tries = 0; tries < 4; tries += 1) {
      engines.latest().onTrouble('network');
      await vi.advanceTimersByTimeAsync(10_000);
    }
    expect(onState).toHaveBeenLastCalledWith('error');
    const before = engines.made.length;
    fireEvent.click(screen.getByText('Try again'));
    expect(engines.made).toHaveLength(before + 1);
    expect(onState).toHaveBeenLastCalledWith('starting');
  });

  test('without a picture shows whose sound it is, and tells so', async () => {
    const { onSize, start } = show();
    await start();
    expect(onSize).toHaveBeenLastCalledWith({ width: 0, height: 0 });
    await vi.dynamicImportSettled();
    expect(screen.getByText('Evening walk')).toBeTruthy();
    expect(screen.getByText('Brook Radio')).toBeTruthy();
    expect(document.querySelector('.player-level')).not.toBeNull();
  });

  test('a key shows the keys, and another asks for a larger picture', async () => {
    const { onTheatre, start } = show();
    await start();
    fireEvent.keyDown(document.body, { key: 't' });
    expect(onTheatre).toHaveBeenCalledTimes(1);
    fireEvent.keyDown(document.body, { key: '?' });
    await vi.dynamicImportSettled();
    const help = screen.getByRole('dialog', { name: 'Keyboard shortcuts' });
    expect(help.textContent).toContain('Theatre mode');
    fireEvent.keyDown(help, { key: 'Escape' });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('says which codec the browser cannot show, and plays the sound instead', async () => {
    const { engines, onState, start } = show();
    for (let tries = 0; tries < 3; tries += 1) {
      engines.latest().onUnplayable({ codec: 'HEVC', isPicture: true, sound: '/hls/audio/audio.m3u8' });
      engines.latest().onTrouble('codec');
      await vi.advanceTimersByTimeAsync(10_000);
    }
    expect(onState).toHaveBeenLastCalledWith('unplayable');
    expect(screen.getByText('Your browser cannot show HEVC')).toBeTruthy();
    expect(screen.queryByText(/We keep trying/)).toBeNull();
    fireEvent.click(screen.getByText('Listen to the sound'));
    await start();
    expect(engines.latest().source).toBe('/hls/audio/audio.m3u8');
    expect(onState).toHaveBeenLastCalledWith('playing');
  });

  test('keys change the volume without leaving its range', async () => {
    const { video } = show();
    for (let count = 0; count < 15; count += 1) fireEvent.keyDown(document.body, { key: '9' });
    expect(video.volume).toBe(0);
    fireEvent.keyDown(document.body, { key: 'm' });
    expect(video.muted).toBe(true);
    fireEvent.keyDown(document.body, { key: '0' });
    expect(video.volume).toBeCloseTo(0.1);
    expect(video.muted).toBe(false);
  });
});

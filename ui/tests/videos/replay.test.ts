import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fakeReplay } from './fakes.ts';

beforeEach(() => {
  localStorage.clear();
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

const LIST = { fragments: [], edge: 600 };

describe('what plays a past stream', () => {
  test('plays its own list, from the beginning', () => {
    const { engines } = fakeReplay();
    expect(engines.latest().source).toBe('/hls/videos/x/stream.m3u8');
    expect(engines.latest().begin?.(LIST)).toBe(0);
  });

  test('begins where the address says, and says so before there is a picture', () => {
    const { replay, engines, say, arrive } = fakeReplay({ startAt: 90 });
    expect(engines.latest().begin?.(LIST)).toBe(90);
    say('loadedmetadata');
    say('timeupdate');
    expect(replay.position()).toBe(90);
    expect(engines.latest().engine.seek).toHaveBeenCalledWith(90);
    arrive(89.5);
    expect(replay.position()).toBe(89.5);
  });

  test('goes to every place, and is there at once for everything beside the picture', () => {
    const { replay, engines, say, arrive } = fakeReplay();
    arrive(10);
    replay.seek(300);
    expect(replay.position()).toBe(300);
    // The browser still says where it comes from.
    say('timeupdate');
    expect(replay.position()).toBe(300);
    expect(engines.latest().engine.seek).toHaveBeenCalledWith(300);
    arrive(300);
    replay.skip(-10);
    expect(engines.latest().engine.seek).toHaveBeenLastCalledWith(290);
  });

  test.each([
    [-50, 0],
    [9_999, 599.5],
  ])('%s is inside of it', (asked, reached) => {
    const { replay, arrive } = fakeReplay();
    arrive(10);
    replay.seek(asked);
    expect(replay.position()).toBe(reached);
  });

  test('several steps at once add up', () => {
    const { replay, arrive } = fakeReplay();
    arrive(100);
    replay.skip(10);
    replay.skip(10);
    expect(replay.position()).toBe(120);
  });

  test('who does not want it to begin by itself fetches nothing before a press', () => {
    const { replay, engines } = fakeReplay({ autoplay: 'off' });
    expect(engines.made.length).toBe(0);
    expect(replay.needsPress()).toBe(true);
    replay.seek(120);
    replay.press();
    expect(engines.latest().begin?.(LIST)).toBe(120);
  });

  test('begins muted where the browser allows nothing else, and says so', async () => {
    const { replay, say } = fakeReplay({ rule: 'muted-only' });
    say('canplay');
    await vi.advanceTimersByTimeAsync(0);
    expect(replay.soundBlocked()).toBe(true);
    replay.unmute();
    say('volumechange');
    expect(replay.soundBlocked()).toBe(false);
  });

  test('an engine that is made anew goes on where it was', async () => {
    const { replay, engines, arrive } = fakeReplay();
    arrive(200);
    engines.latest().onTrouble('other');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(engines.made.length).toBe(2);
    expect(engines.latest().begin?.(LIST)).toBe(200);
    expect(replay.position()).toBe(200);
  });

  test('asks whether it is still there when several tries were in vain', async () => {
    const onFailed = vi.fn();
    const { replay, engines } = fakeReplay({ onFailed });
    for (let tries = 0; tries < 4; tries += 1) {
      engines.latest().onTrouble('network');
      await vi.advanceTimersByTimeAsync(20_000);
    }
    expect(replay.phase()).toBe('failed');
    expect(onFailed).toHaveBeenCalled();
  });

  test('at its end it can be seen again', async () => {
    const { replay, engines, say, arrive, state } = fakeReplay();
    say('canplay');
    await vi.advanceTimersByTimeAsync(0);
    arrive(600);
    state.paused = true;
    say('ended');
    expect(replay.phase()).toBe('ended');
    replay.restart();
    expect(engines.latest().engine.seek).toHaveBeenLastCalledWith(0);
    say('seeking');
    arrive(0);
    expect(replay.phase()).toBe('running');
    expect(state.paused).toBe(false);
  });

  test('is as fast as somebody likes it, also after a new start', () => {
    const { replay, element, say } = fakeReplay();
    replay.chooseSpeed(1.5);
    expect(element.playbackRate).toBe(1.5);
    element.playbackRate = 1;
    replay.chooseSpeed(1.5);
    say('loadedmetadata');
    expect(element.playbackRate).toBe(1.5);
  });

  test('stops everything when the page leaves it', () => {
    const { replay, engines } = fakeReplay();
    replay.destroy();
    expect(engines.latest().engine.destroy).toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

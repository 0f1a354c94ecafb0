import { createRoot } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Timeline } from '../../src/viewer/player/engine.ts';
import { createPlayback, type Playback } from '../../src/viewer/player/playback.ts';
import { dateAt, firstDate, placeOf } from '../../src/viewer/player/rewind/dates.ts';
import { createRewind, type Rewind } from '../../src/viewer/player/rewind/rewind.ts';
import { fakeEngines, fakeVideo } from './fakes.ts';

const NOON = Date.parse('2026-01-02T12:00:00Z');
const MINUTE = 60_000;

/** A list that ends at `end`, in pieces of two seconds; its clock says something of its own. */
function listOf(end: number, seconds: number, startsAt = 0): Timeline {
  const count = seconds / 2;
  const fragments = Array.from({ length: count }, (_, at) => ({
    start: startsAt + at * 2,
    duration: 2,
    programDateTime: end - (seconds - at * 2) * 1000,
  }));
  return { fragments, edge: startsAt + seconds };
}

describe('places and dates', () => {
  test('a moment is at another place in another list', () => {
    const live = listOf(NOON, 24, 500);
    const rewind = listOf(NOON, 7200);
    const date = dateAt(live, 510) ?? 0;
    expect(date).toBe(NOON - 14_000);
    expect(placeOf(rewind, date)).toBe(7186);
  });

  test('what is older than a list is its beginning, what is newer its end', () => {
    const list = listOf(NOON, 24);
    expect(firstDate(list)).toBe(NOON - 24_000);
    expect([placeOf(list, 0), placeOf(list, NOON + MINUTE)]).toEqual([0, 24]);
  });

  test('of a time without a stream the list has what came next', () => {
    const [before, after] = [listOf(NOON - MINUTE, 10), listOf(NOON, 10, 10)];
    const list = { fragments: [...before.fragments, ...after.fragments], edge: 20 };
    expect(placeOf(list, NOON - 40_000)).toBe(10);
    expect(placeOf(list, NOON - 10_000)).toBe(10);
    expect(dateAt(list, 15)).toBe(NOON - 5_000);
  });

  test('pieces without a date are passed over, and a list without any has none', () => {
    const list = listOf(NOON, 6);
    const [first, ...others] = list.fragments;
    if (!first) throw new Error('no pieces');
    const gap = { ...first, programDateTime: null };
    expect(placeOf({ ...list, fragments: [gap, ...others] }, 0)).toBe(2);
    const none = { fragments: [gap], edge: 2 };
    expect([placeOf(none, NOON), dateAt(none, 1), firstDate(none)]).toEqual([undefined, undefined, undefined]);
  });
});

describe('going back', () => {
  let end: () => void = () => {};
  beforeEach(() => {
    vi.useFakeTimers();
    localStorage.clear();
  });
  afterEach(() => {
    end();
    vi.useRealTimers();
  });

  /** At the edge of a live list of 24 seconds, 40 minutes after the stream has begun. */
  async function watching({ minutes = 120 } = {}) {
    const { video, state, say } = fakeVideo();
    const engines = fakeEngines();
    const made = createRoot<{ playback: Playback; rewind: Rewind }>((dispose) => {
      const playback = createPlayback({
        video,
        makeEngine: engines.make,
        autoplay: 'always',
        startMuted: false,
        lowLatency: true,
      });
      engines.setTimeline(listOf(NOON, 24, 500));
      video.currentTime = 523;
      const since = new Date(NOON - 40 * MINUTE).toISOString();
      const rewind = createRewind({ video, playback, minutes: () => minutes, since: () => since });
      end = () => {
        rewind.destroy();
        playback.destroy();
        dispose();
      };
      return { playback, rewind };
    });
    say('canplay');
    await vi.advanceTimersByTimeAsync(0);
    const tick = () => vi.advanceTimersByTimeAsync(600);
    /** What a new engine does: it begins in its list where it was told to. */
    const arrive = async (list: Timeline) => {
      engines.setTimeline(list);
      const place = engines.latest().begin?.(list);
      if (place !== undefined) video.currentTime = place;
      state.paused = true;
      say('seeked');
      say('canplay');
      await tick();
    };
    const { seek, seekToLive } = engines.latest().engine;
    return { ...made, video, state, say, engines, tick, arrive, seek, seekToLive };
  }

  test('reaches to the start of the stream, and no further than the server keeps it', async () => {
    const long = await watching();
    expect(long.rewind.reach()).toEqual({
      oldest: NOON - 40 * MINUTE,
      newest: NOON,
      shown: NOON - 1_000,
      isLive: true,
    });
    end();
    const short = await watching({ minutes: 30 });
    expect(short.rewind.reach()?.oldest).toBe(NOON - 30 * MINUTE);
  });

  test('within the live list stays in it', async () => {
    const { rewind, playback, seek } = await watching();
    playback.skip(-10);
    expect(seek).toHaveBeenCalledExactlyOnceWith(513);
    expect(playback.source()).toBeUndefined();
    expect(rewind.reach()).toMatchObject({ shown: NOON - 11_000, isLive: false });
  });

  test('beyond it plays from the longer list, at the same moment by the dates', async () => {
    const { rewind, playback, video, engines, arrive } = await watching();
    rewind.goTo(NOON - 30 * MINUTE);
    expect(playback.source()?.playlist).toBe('/hls/rewind.m3u8');
    expect(rewind.reach()).toMatchObject({ shown: NOON - 30 * MINUTE, isLive: false });
    await arrive(listOf(NOON, 2400));
    expect(video.currentTime).toBe(600);
    engines.setBehind(1800);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(rewind.reach()).toMatchObject({ oldest: NOON - 40 * MINUTE, shown: NOON - 30 * MINUTE, isLive: false });
    expect(engines.latest().engine.seekToLive).not.toHaveBeenCalled();
  });

  test('there it only moves within that list, and back to live is its end', async () => {
    const { rewind, playback, engines, arrive } = await watching();
    rewind.goTo(NOON - 30 * MINUTE);
    await arrive(listOf(NOON, 2400));
    engines.setBehind(1800);
    const { seek, seekToLive } = engines.latest().engine;
    playback.skip(-10);
    expect(seek).toHaveBeenLastCalledWith(590);
    rewind.toLive();
    expect(seekToLive).toHaveBeenCalledTimes(1);
    expect(rewind.reach()?.isLive).toBe(true);
    expect(engines.made).toHaveLength(2);
  });

  test('forward past the newest picture is live', async () => {
    const { rewind, playback, engines, arrive } = await watching();
    rewind.goTo(NOON - MINUTE);
    await arrive(listOf(NOON, 2400));
    engines.setBehind(58);
    playback.skip(59);
    expect(engines.latest().engine.seekToLive).toHaveBeenCalledTimes(1);
  });

  test('what is about to leave the list is not gone to', async () => {
    const { rewind, arrive, video } = await watching();
    rewind.goTo(0);
    await arrive(listOf(NOON, 2400));
    expect(video.currentTime).toBe(3);
  });

  test('several skips in a row add up, also while the other list is on its way', async () => {
    const { rewind, playback, engines, arrive, video } = await watching();
    rewind.goTo(NOON - 30 * MINUTE);
    engines.setTimeline(undefined);
    playback.skip(-10);
    playback.skip(-10);
    expect(engines.made).toHaveLength(2);
    await arrive(listOf(NOON, 2400));
    expect(video.currentTime).toBe(580);
  });

  test('a new start after an outage begins where it was', async () => {
    const { rewind, engines, arrive, video, tick } = await watching();
    rewind.goTo(NOON - 30 * MINUTE);
    await arrive(listOf(NOON, 2400));
    video.currentTime = 700;
    await tick();
    const later = listOf(NOON + MINUTE, 2400);
    expect(engines.latest().begin?.(later)).toBe(640);
  });

  test('a short break goes on where it stopped, in the live list', async () => {
    const { playback, video, engines, seekToLive } = await watching();
    video.pause();
    await vi.advanceTimersByTimeAsync(8_000);
    engines.setTimeline(listOf(NOON + 8_000, 24, 508));
    engines.setBehind(8, true);
    await video.play();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(playback.source()).toBeUndefined();
    expect(seekToLive).not.toHaveBeenCalled();
  });

  test('a break longer than the live list goes on where it stopped, in the longer one', async () => {
    const { playback, video, engines, arrive } = await watching();
    video.pause();
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    const now = NOON + 10 * MINUTE;
    engines.setTimeline(listOf(now, 24, 1100));
    await video.play();
    expect(playback.source()?.playlist).toBe('/hls/rewind.m3u8');
    await arrive(listOf(now, 3000));
    expect(video.currentTime).toBe(3000 - 601);
  });

  test('a break longer than what the server keeps goes on with the oldest there is', async () => {
    const { rewind, video, engines, arrive } = await watching({ minutes: 30 });
    rewind.goTo(NOON - 29 * MINUTE);
    await arrive(listOf(NOON, 1800));
    video.pause();
    engines.setTimeline(listOf(NOON + 5 * MINUTE, 1800, 300));
    await vi.advanceTimersByTimeAsync(5 * MINUTE);
    await video.play();
    expect(engines.latest().engine.seek).toHaveBeenLastCalledWith(303);
  });

  test('a server that has nothing older is asked again only after a minute, and the live list goes on', async () => {
    const { rewind, playback, engines } = await watching();
    rewind.goTo(NOON - 30 * MINUTE);
    engines.latest().onTrouble('network');
    expect(rewind.refused()).toBe(true);
    expect(engines.latest().source).toBeUndefined();
    playback.skip(-20);
    rewind.goTo(NOON - 30 * MINUTE);
    expect(engines.made).toHaveLength(3);
    engines.setTimeline(listOf(NOON, 24, 500));
    await vi.advanceTimersByTimeAsync(MINUTE);
    rewind.goTo(NOON - 30 * MINUTE);
    expect(engines.made).toHaveLength(4);
  });
});

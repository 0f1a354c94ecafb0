import { createRoot } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPlayback, type Playback, type PlaybackOptions } from '../../src/viewer/player/playback.ts';
import { answerWith } from '../helpers.ts';
import { fakeEngines, fakeVideo, type PlayRule } from './fakes.ts';

let end: () => void = () => {};
beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
});
afterEach(() => {
  end();
  vi.useRealTimers();
});

async function open(change: Partial<PlaybackOptions> & { rule?: PlayRule } = {}) {
  const { video, state, say } = fakeVideo(change.rule);
  const engines = fakeEngines();
  const playback = createRoot<Playback>((dispose) => {
    const created = createPlayback({
      video,
      makeEngine: engines.make,
      autoplay: 'always',
      startMuted: false,
      lowLatency: true,
      ...change,
    });
    end = () => {
      created.destroy();
      dispose();
    };
    return created;
  });
  const ready = async () => {
    say('canplay');
    await vi.advanceTimersByTimeAsync(0);
  };
  return { video, state, say, engines, playback, ready };
}

describe('starting', () => {
  test('plays with sound where the browser allows it', async () => {
    const { video, playback, ready } = await open();
    expect(playback.phase()).toBe('starting');
    await ready();
    expect(playback.phase()).toBe('running');
    expect(video.muted).toBe(false);
    expect(playback.soundBlocked()).toBe(false);
  });

  test('plays muted and offers the sound where the browser refuses it', async () => {
    const { video, playback, ready } = await open({ rule: 'muted-only' });
    await ready();
    expect(playback.phase()).toBe('running');
    expect(video.muted).toBe(true);
    expect(playback.soundBlocked()).toBe(true);
    playback.unmute();
    expect(video.muted).toBe(false);
    expect(playback.soundBlocked()).toBe(false);
  });

  test('waits for a press where sound is a condition and the browser refuses it', async () => {
    const { video, state, playback, ready } = await open({ rule: 'muted-only', autoplay: 'sound-only' });
    await ready();
    expect(video.muted).toBe(false);
    expect(playback.needsPress()).toBe(true);
    state.rule = 'allowed';
    playback.press();
    await vi.advanceTimersByTimeAsync(0);
    expect(playback.needsPress()).toBe(false);
    expect(playback.paused()).toBe(false);
  });

  test('downloads nothing before a press when it must not start by itself', async () => {
    const { engines, playback, ready } = await open({ autoplay: 'off' });
    expect(playback.needsPress()).toBe(true);
    expect(engines.make).not.toHaveBeenCalled();
    playback.press();
    await ready();
    expect(playback.phase()).toBe('running');
  });

  test('remembers the volume of the last visit', async () => {
    const first = await open();
    first.video.volume = 0.4;
    first.say('volumechange');
    end();
    const second = await open();
    expect(second.video.volume).toBe(0.4);
  });
});

describe('trouble', () => {
  test('reloads after a while, then starts from nothing, and never gives up', async () => {
    const { engines, playback } = await open();
    const first = engines.latest();
    for (let tries = 0; tries < 3; tries += 1) {
      engines.latest().onTrouble('network');
      await vi.advanceTimersByTimeAsync(10_000);
    }
    expect(first.engine.reload).toHaveBeenCalledTimes(3);
    expect(engines.made).toHaveLength(1);
    for (let tries = 0; tries < 10; tries += 1) {
      engines.latest().onTrouble('network');
      await vi.advanceTimersByTimeAsync(10_000);
    }
    expect(engines.made).toHaveLength(11);
    expect(first.engine.destroy).toHaveBeenCalledTimes(1);
    expect(playback.phase()).toBe('failed');
  });

  test('is over as soon as pictures move again', async () => {
    const { engines, playback, ready } = await open();
    for (let tries = 0; tries < 5; tries += 1) {
      engines.latest().onTrouble('network');
      await vi.advanceTimersByTimeAsync(10_000);
    }
    expect(playback.phase()).toBe('failed');
    await ready();
    expect(playback.phase()).toBe('running');
  });

  test('mends broken buffers without a new start', async () => {
    const { engines } = await open();
    engines.latest().onTrouble('media');
    await vi.advanceTimersByTimeAsync(0);
    expect(engines.latest().engine.mend).toHaveBeenCalledTimes(1);
    expect(engines.made).toHaveLength(1);
  });

  test('reads the list again and again until it has something that this browser plays', async () => {
    const { engines, playback, ready } = await open();
    for (let tries = 0; tries < 3; tries += 1) {
      engines.latest().onTrouble('other');
      await vi.advanceTimersByTimeAsync(10_000);
    }
    expect(engines.made).toHaveLength(4);
    await ready();
    expect(playback.phase()).toBe('running');
  });

  test('offers the sound of a picture that cannot be shown, until there is one that can', async () => {
    const { engines, playback, ready } = await open();
    const unplayable = { codec: 'HEVC', isPicture: true, sound: '/hls/audio/audio.m3u8' };
    for (let tries = 0; tries < 3; tries += 1) {
      engines.latest().onUnplayable(unplayable);
      engines.latest().onTrouble('codec');
      await vi.advanceTimersByTimeAsync(10_000);
    }
    expect(playback.phase()).toBe('unplayable');
    expect(playback.unplayable()).toEqual(unplayable);
    playback.listen();
    engines.latest().onQualities([{ id: 0, height: 0, kbps: 96 }]);
    await ready();
    expect(engines.latest().source).toBe('/hls/audio/audio.m3u8');
    expect([playback.phase(), playback.isListening()]).toEqual(['running', true]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(engines.latest().engine.refreshQualities).toHaveBeenCalled();
    engines.latest().onPlayable();
    expect(engines.latest().source).toBeUndefined();
    expect(playback.isListening()).toBe(false);
  });

  test('a start from nothing plays on by itself, but not for somebody who paused', async () => {
    const { video, state, engines, playback, ready } = await open();
    await ready();
    // A source that is taken away pauses without a pause event.
    state.paused = true;
    playback.restart();
    await ready();
    expect(engines.made).toHaveLength(2);
    expect(playback.paused()).toBe(false);

    video.pause();
    engines.latest().onTrouble('other');
    await vi.advanceTimersByTimeAsync(1_000);
    await ready();
    expect(engines.made).toHaveLength(3);
    expect(playback.paused()).toBe(true);
  });

  test('nothing is tried any more once the player is gone', async () => {
    const { engines } = await open();
    engines.latest().onTrouble('network');
    end();
    end = () => {};
    await vi.advanceTimersByTimeAsync(60_000);
    expect(engines.latest().engine.reload).not.toHaveBeenCalled();
    expect(engines.latest().engine.destroy).toHaveBeenCalledTimes(1);
  });
});

describe('watching', () => {
  test('notices a stall even when the browser does not report it, and its end', async () => {
    const { state, playback, ready } = await open();
    await ready();
    state.readyState = 2;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(playback.stalled()).toBe(true);
    state.readyState = 4;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(playback.stalled()).toBe(false);
  });

  test('a stall at the end of a stream that is over is its end, in mid-stream it is not', async () => {
    const { video, state, say, playback, ready } = await open();
    await ready();
    video.currentTime = 9.7;
    Object.defineProperty(video, 'duration', { configurable: true, value: Number.POSITIVE_INFINITY });
    state.readyState = 2;
    say('timeupdate');
    expect(playback.phase()).toBe('running');
    Object.defineProperty(video, 'duration', { configurable: true, value: 10 });
    say('timeupdate');
    expect(playback.phase()).toBe('ended');
  });

  test('tells how far behind live it is', async () => {
    const { playback } = await open();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(playback.latency()).toBe(1.5);
  });

  test('jumps when it is too far behind, and leaves small distances to the engine', async () => {
    const { engines, ready } = await open();
    await ready();
    engines.setBehind(5);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(engines.latest().engine.seekToLive).not.toHaveBeenCalled();
    engines.setBehind(9);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(engines.latest().engine.seekToLive).toHaveBeenCalledTimes(1);
  });

  test('after an outage jumps back to live as soon as that has arrived', async () => {
    const { engines, ready } = await open();
    await ready();
    engines.setBehind(1.5, true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(engines.latest().engine.seekToLive).not.toHaveBeenCalled();
    engines.setBehind(5, true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(engines.latest().engine.seekToLive).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(engines.latest().engine.seekToLive).toHaveBeenCalledTimes(1);
  });

  test('looks for another place when there has been nothing to show for a while', async () => {
    const { state, engines, ready } = await open();
    const { rescue } = engines.latest().engine;
    state.readyState = HTMLMediaElement.HAVE_METADATA;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(rescue).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(rescue).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(rescue).toHaveBeenCalledTimes(2);
    state.readyState = HTMLMediaElement.HAVE_ENOUGH_DATA;
    await ready();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(rescue).toHaveBeenCalledTimes(2);
  });

  test('goes to live after a break', async () => {
    const { video, engines, ready } = await open();
    await ready();
    video.pause();
    await vi.advanceTimersByTimeAsync(30_000);
    await video.play();
    expect(engines.latest().engine.seekToLive).toHaveBeenCalledTimes(1);
  });

  test('the end of the stream is the end, until another one starts', async () => {
    const { state, say, engines, playback, ready } = await open();
    await ready();
    state.paused = true;
    state.ended = true;
    say('pause');
    say('ended');
    expect(playback.phase()).toBe('ended');
    state.ended = false;
    playback.restart();
    await ready();
    expect(engines.made).toHaveLength(2);
    expect(playback.phase()).toBe('running');
  });

  test('who goes back to see something again is left there until they come back', async () => {
    const { video, engines, playback, ready } = await open();
    await ready();
    const ranges = { length: 1, start: () => 100, end: () => 125 };
    vi.spyOn(video, 'buffered', 'get').mockReturnValue(ranges);
    video.currentTime = 120;
    playback.skip(-10);
    expect(video.currentTime).toBe(110);
    engines.setBehind(10, true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(engines.latest().engine.seekToLive).not.toHaveBeenCalled();
    playback.skip(-30);
    expect(video.currentTime).toBe(100.1);
    playback.skip(5);
    expect(video.currentTime).toBe(105.1);
    engines.setBehind(4, true);
    playback.skip(10);
    expect(engines.latest().engine.seekToLive).toHaveBeenCalledTimes(1);
    engines.setBehind(5, true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(engines.latest().engine.seekToLive).toHaveBeenCalledTimes(2);
  });

  test('remembers the quality that was chosen, and says which one is shown', async () => {
    const ladder = [
      { id: 0, height: 360, kbps: 800 },
      { id: 1, height: 720, kbps: 2500 },
      { id: 2, height: 720, kbps: 4000 },
    ];
    const first = await open();
    first.engines.latest().onQualities(ladder);
    expect(first.playback.quality()).toBe(-1);
    first.engines.setShown(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(first.playback.shownQuality()).toBe(2);
    first.playback.chooseQuality(1);
    end();

    const second = await open();
    const { onQualities, engine } = second.engines.latest();
    onQualities(ladder.map((quality) => ({ ...quality, kbps: quality.kbps + 200 })));
    expect(second.playback.quality()).toBe(1);
    expect(engine.setQuality).toHaveBeenCalledExactlyOnceWith(1);
    second.playback.chooseQuality(-1);
    end();

    const third = await open();
    third.engines.latest().onQualities(ladder);
    expect(third.playback.quality()).toBe(-1);
  });

  test('looks for the qualities that the server means to offer until they are listed', async () => {
    const variants = [
      { name: 'Source', height: 720 },
      { name: 'Small', height: 360, kbps: 800 },
    ];
    vi.stubGlobal('fetch', answerWith({ 'GET /api/video/variants': { body: variants } }).fakeFetch);
    const { engines, playback } = await open();
    const source = { id: 0, height: 720, kbps: 3000 };
    const { onQualities, engine } = engines.latest();
    onQualities([source]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(engine.refreshQualities).toHaveBeenCalledTimes(3);
    onQualities([{ id: 1, height: 360, kbps: 900 }, source]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(engine.refreshQualities).toHaveBeenCalledTimes(3);
    expect(playback.qualities().map(({ name }) => name)).toEqual(['Small', 'Source']);
  });

  test('choices reach the engine, and the distance to live survives a new start', async () => {
    const { engines, playback } = await open();
    playback.chooseQuality(2);
    playback.chooseLowLatency(false);
    expect(engines.latest().engine.setQuality).toHaveBeenCalledWith(2);
    expect(engines.latest().engine.setLowLatency).toHaveBeenCalledWith(false);
    playback.restart();
    expect(engines.latest().lowLatency).toBe(false);
    expect(playback.quality()).toBe(-1);
  });
});

describe('another list than the live one', () => {
  const SOURCE = { playlist: '/hls/rewind.m3u8', begin: () => 12 };

  test('is played from the place that was asked for, and nobody is taken back to live from there', async () => {
    const { engines, playback, ready } = await open();
    await ready();
    playback.playFrom(SOURCE);
    expect(engines.latest()).toMatchObject({ source: '/hls/rewind.m3u8', begin: SOURCE.begin });
    expect([playback.phase(), playback.source()]).toEqual(['starting', SOURCE]);
    await ready();
    engines.setBehind(600, true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(engines.latest().engine.seekToLive).not.toHaveBeenCalled();
    expect(playback.measures().latencySeconds).toBeUndefined();
  });

  test('that cannot be had gives way to the live one, and whoever wanted it is told', async () => {
    const { engines, playback, ready } = await open();
    await ready();
    const past = { resume: () => true, skip: () => true, onRefused: vi.fn() };
    playback.setPast(past);
    playback.playFrom(SOURCE);
    engines.latest().onTrouble('network');
    expect(past.onRefused).toHaveBeenCalledTimes(1);
    expect([engines.latest().source, playback.source()]).toEqual([undefined, undefined]);
  });

  test('that has run is tried again after an outage, like every other', async () => {
    const { state, engines, playback, ready } = await open();
    await ready();
    playback.playFrom(SOURCE);
    state.paused = true;
    await ready();
    const { engine, onTrouble } = engines.latest();
    onTrouble('network');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(engine.reload).toHaveBeenCalledTimes(1);
    expect(playback.source()).toBe(SOURCE);
  });

  test('makes room for the live one when the next stream starts', async () => {
    const { engines, playback, ready } = await open();
    await ready();
    playback.playFrom(SOURCE);
    playback.restart();
    expect(engines.latest().source).toBeUndefined();
  });

  test('after a break the picture goes on where it stopped, where all of it can be seen', async () => {
    const { video, engines, playback, ready } = await open();
    await ready();
    playback.setPast({ resume: () => true, skip: () => false, onRefused: () => {} });
    video.pause();
    await vi.advanceTimersByTimeAsync(30_000);
    engines.setBehind(30, true);
    await video.play();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(engines.latest().engine.seekToLive).not.toHaveBeenCalled();
  });
});

describe('reports', () => {
  test('count every stall and every change of quality once', async () => {
    const { say, state, engines, playback, ready } = await open();
    await ready();
    engines.setShown(1);
    await vi.advanceTimersByTimeAsync(2_000);
    engines.setShown(2);
    state.readyState = 2;
    say('waiting');
    await vi.advanceTimersByTimeAsync(3_000);
    expect(playback.measures()).toEqual({
      latencySeconds: 1.5,
      bandwidthKbps: 4200,
      troubles: 1,
      qualityChanges: 1,
    });
    state.readyState = 4;
    await vi.advanceTimersByTimeAsync(1_000);
    say('waiting');
    expect(playback.measures().troubles).toBe(2);
  });
});

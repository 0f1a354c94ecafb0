import { describe, expect, test, vi } from 'vitest';
import {
  FakeHls,
  latest,
  level,
  make,
  OPTIONS,
  onPlayable,
  onQualities,
  onTrouble,
  onUnplayable,
  video,
} from './hls-fakes.ts';

describe('the engine', () => {
  test('loads the playlist into the video and lists the qualities', () => {
    const { hls } = make();
    expect(hls.loadSource).toHaveBeenCalledExactlyOnceWith('/hls/stream.m3u8');
    expect(hls.attachMedia).toHaveBeenCalledExactlyOnceWith(video);
    hls.say('parsed');
    expect(onQualities).toHaveBeenCalledExactlyOnceWith([
      { id: 0, height: 480, kbps: 1000 },
      { id: 1, height: 1080, kbps: 6000 },
    ]);
  });

  test.each([
    ['networkError', 'network'],
    ['mediaError', 'media'],
    ['muxError', 'other'],
  ])('a fatal %s is %s trouble', (type, trouble) => {
    make().hls.say('error', { fatal: true, type });
    expect(onTrouble).toHaveBeenCalledExactlyOnceWith(trouble);
  });

  test.each(['manifestIncompatibleCodecsError', 'bufferAddCodecError'])(
    'reads the list again where it has nothing that this browser plays: %s',
    (details) => {
      make().hls.say('error', { fatal: true, type: 'mediaError', details });
      expect(onTrouble).toHaveBeenCalledExactlyOnceWith('codec');
    },
  );

  test('says which codec it is, and where the sound alone can be heard', () => {
    FakeHls.plays = (type) => !type.includes('hvc1');
    const { hls } = make();
    hls.say('listed', {
      levels: [{ attrs: { CODECS: 'hvc1.1.6.L93.90,mp4a.40.2', AUDIO: 'audio' } }],
      audioTracks: [{ groupId: 'audio', url: '/hls/audio/audio.m3u8' }],
    });
    hls.say('error', { fatal: true, type: 'mediaError', details: 'manifestIncompatibleCodecsError' });
    const unplayable = { codec: 'HEVC', isPicture: true, sound: '/hls/audio/audio.m3u8' };
    expect(onUnplayable).toHaveBeenCalledExactlyOnceWith(unplayable);
  });

  test('while the sound alone plays, says when there is a picture that can be shown', () => {
    const { engine, hls } = make({ ...OPTIONS, source: '/hls/audio/audio.m3u8' });
    expect(hls.loadSource).toHaveBeenCalledExactlyOnceWith('/hls/audio/audio.m3u8');
    hls.say('parsed');
    vi.spyOn(video, 'readyState', 'get').mockReturnValue(4);
    engine.refreshQualities();
    expect(onPlayable).not.toHaveBeenCalled();
    latest().say('parsed');
    expect(onPlayable).toHaveBeenCalledTimes(1);
    expect(hls.stopLoad).not.toHaveBeenCalled();
  });

  const refusal = (details: string, code = 404, groupId = 'aac') => ({
    fatal: false,
    type: 'networkError',
    details,
    response: { code },
    context: { groupId },
  });

  test.each([
    ['levelLoadError', 404, 'other'],
    ['audioTrackLoadError', 404, 'other'],
    ['audioTrackLoadError', 503, 'network'],
    ['fragLoadError', 404, 'network'],
    ['manifestLoadError', 404, 'network'],
  ])('a fatal %s with %i is not asked for again in vain: %s', (details, code, trouble) => {
    make().hls.say('error', { ...refusal(details, code), fatal: true });
    expect(onTrouble).toHaveBeenCalledExactlyOnceWith(trouble);
  });

  test('starts from nothing when the sound is gone for good and hls.js only asks on for it', () => {
    const { hls } = make();
    const refuse = (...values: Parameters<typeof refusal>) => hls.say('error', refusal(...values));
    const refuseSound = () => refuse('audioTrackLoadError');
    refuseSound();
    // It has changed to another quality, whose sound is there.
    hls.say('heard');
    refuseSound();
    // Nothing of the stream is there: it is waited for.
    for (const one of hls.levels) one.loadError = 1;
    refuse('levelLoadError');
    refuseSound();
    refuse('audioTrackLoadError', 503);
    refuse('audioTrackLoadError', 404, 'audio');
    expect(onTrouble).not.toHaveBeenCalled();
    refuseSound();
    expect(onTrouble).toHaveBeenCalledExactlyOnceWith('other');
    // One start is under way; another word would only put it off.
    refuseSound();
    refuseSound();
    expect(onTrouble).toHaveBeenCalledTimes(1);
  });

  test('starts from nothing when a quality is gone and hls.js finds no way to one with another sound', () => {
    const { hls } = make();
    const rung = { ...level('1', 480, 1_100_000, 'mp4a.40.2', 'aac'), loadError: 1 };
    hls.levels = [rung, level('0', 1080, 6_200_000, 'mp4a.40.5')];
    const refusePicture = (errorAction: { nextAutoLevel?: number }) =>
      hls.say('error', { ...refusal('levelLoadError'), errorAction });
    refusePicture({});
    // It is back.
    hls.say('loaded');
    refusePicture({});
    // hls.js has found another.
    refusePicture({ nextAutoLevel: 1 });
    refusePicture({});
    // Its sound is there, and of no use without it.
    hls.say('heard');
    expect(onTrouble).not.toHaveBeenCalled();
    refusePicture({});
    expect(onTrouble).toHaveBeenCalledExactlyOnceWith('other');
    refusePicture({});
    expect(onTrouble).toHaveBeenCalledTimes(1);
  });

  test('a quality and its sound that are gone at once are enough', () => {
    const { hls } = make();
    hls.say('error', { ...refusal('levelLoadError'), errorAction: {} });
    expect(onTrouble).not.toHaveBeenCalled();
    hls.say('error', refusal('audioTrackLoadError'));
    expect(onTrouble).toHaveBeenCalledExactlyOnceWith('other');
  });

  test('asks soon again for the first segment of a stream that has just begun', () => {
    vi.useFakeTimers();
    const { engine, hls } = make();
    const waitForSegment = () => {
      hls.say('error', { fatal: false, type: 'networkError', details: 'levelEmptyError' });
      vi.advanceTimersByTime(250);
    };
    waitForSegment();
    waitForSegment();
    expect(hls.startLoad).toHaveBeenCalledTimes(2);
    expect(onTrouble).not.toHaveBeenCalled();
    hls.say('error', { fatal: false, type: 'networkError', details: 'levelEmptyError' });
    engine.destroy();
    vi.advanceTimersByTime(1_000);
    expect(hls.startLoad).toHaveBeenCalledTimes(2);
    vi.useRealTimers();
  });

  test('leaves errors to hls.js that it can mend by itself', () => {
    make().hls.say('error', { fatal: false, type: 'networkError' });
    expect(onTrouble).not.toHaveBeenCalled();
  });

  test('asks again for what is missing: the first playlist, or the next parts', () => {
    const { engine, hls } = make();
    engine.reload();
    expect(hls.loadSource).toHaveBeenCalledTimes(2);
    hls.say('parsed');
    engine.reload();
    expect(hls.loadSource).toHaveBeenCalledTimes(2);
    expect(hls.startLoad).toHaveBeenCalledTimes(1);
  });

  test('knows how far behind it is, once there is something to compare with', () => {
    const { engine, hls } = make();
    hls.latestLevelDetails.edge = 13;
    hls.latestLevelDetails.age = 0.5;
    // Nothing is shown at the beginning of the list, from where it goes to live.
    video.currentTime = 0;
    expect(engine.latency()).toBeUndefined();
    expect(engine.behind()).toBe(0);
    vi.spyOn(video, 'readyState', 'get').mockReturnValue(4);
    hls.liveSyncPosition = 12;
    video.currentTime = 2;
    expect(engine.latency()).toBe(11.5);
    expect(engine.behind()).toBe(10);
    engine.seekToLive();
    expect(video.currentTime).toBe(12);
  });

  test('knows whether the place where a new viewer would start has arrived', () => {
    const { engine, hls } = make();
    const ranges = { length: 2, start: (at: number) => [0, 8][at] ?? 0, end: (at: number) => [4, 14][at] ?? 0 };
    const buffered = vi.spyOn(video, 'buffered', 'get').mockReturnValue(ranges);
    expect(engine.isLiveBuffered()).toBe(false);
    hls.liveSyncPosition = 6;
    expect(engine.isLiveBuffered()).toBe(false);
    hls.liveSyncPosition = 12;
    expect(engine.isLiveBuffered()).toBe(true);
    buffered.mockRestore();
  });

  test('moves away from live and back to it without a new start', () => {
    const { engine, hls } = make();
    engine.setLowLatency(false);
    expect([hls.lowLatencyMode, hls.targetLatency]).toEqual([false, 6]);
    engine.setLowLatency(true);
    expect([hls.lowLatencyMode, hls.targetLatency]).toEqual([true, 1.5]);
    expect(hls.destroy).not.toHaveBeenCalled();
  });
});

import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Quality } from '../../src/viewer/player/engine.ts';
import { configFor, makeHlsEngine } from '../../src/viewer/player/hls-engine.ts';

type Listener = (event: string, data: unknown) => void;

interface Segment {
  start: number;
  title: string | null;
}

/** Five segments of two seconds that begin with a key frame, as almost always. */
function ordinary() {
  const fragments: Segment[] = [0, 2, 4, 6, 8].map((start) => ({ start, title: null }));
  return { fragments, partList: null as { start: number; index: number; independent: boolean }[] | null };
}

/** The same with a single key frame, at 2. */
function sparse() {
  const { fragments } = ordinary();
  return {
    fragments: fragments.map(({ start }) => ({ start, title: start === 2 ? null : 'continues' })),
    partList: [8, 8.5, 9, 9.5].map((start, index) => ({ start, index, independent: false })),
  };
}

interface Level {
  uri: string;
  height: number;
  bitrate: number;
  codecs: string;
  videoCodec?: string;
  audioGroups?: string[];
  loadError: number;
}

function level(folder: string, height: number, bitrate: number, sound = 'mp4a.40.2', group = 'audio'): Level {
  const uri = `/hls/${folder}/stream.m3u8`;
  const videoCodec = height > 0 ? 'avc1.64001f' : undefined;
  const codecs = [videoCodec, sound].filter(Boolean).join(',');
  return { uri, height, bitrate, codecs, videoCodec, audioGroups: [group], loadError: 0 };
}

const world = vi.hoisted(() => ({ latest: undefined as unknown as FakeHls }));

/** As much of hls.js as the engine touches. */
class FakeHls {
  static Events = {
    MANIFEST_LOADED: 'listed',
    MANIFEST_PARSED: 'parsed',
    LEVEL_UPDATED: 'updated',
    LEVELS_UPDATED: 'levels',
    LEVEL_LOADED: 'loaded',
    FRAG_LOADING: 'loading',
    AUDIO_TRACK_LOADED: 'heard',
    ERROR: 'error',
  };
  static ErrorDetails = {
    MANIFEST_INCOMPATIBLE_CODECS_ERROR: 'manifestIncompatibleCodecsError',
    BUFFER_ADD_CODEC_ERROR: 'bufferAddCodecError',
    AUDIO_TRACK_LOAD_ERROR: 'audioTrackLoadError',
    LEVEL_LOAD_ERROR: 'levelLoadError',
    LEVEL_EMPTY_ERROR: 'levelEmptyError',
  };
  static ErrorTypes = { NETWORK_ERROR: 'networkError', MEDIA_ERROR: 'mediaError', OTHER_ERROR: 'otherError' };
  listeners = new Map<string, Listener>();
  static plays = (_type: string) => true;
  static getMediaSource = () => ({ isTypeSupported: (type: string) => FakeHls.plays(type) });
  levels = [level('1', 480, 1_000_400), level('0', 1080, 6_000_000)];
  firstLevel = 0;
  liveSyncPosition: number | null = null;
  latestLevelDetails = { partHoldBack: 1.5, holdBack: 6, edge: 10, age: 0, ...ordinary() };
  lowLatencyMode = true;
  targetLatency = 0;
  /** Every place it was told to load. */
  loadLevels: number[] = [];
  loadLevelObj: Level | null = null;
  autoLevelEnabled = true;
  manualLevel = -1;
  allAudioTracks = [{ groupId: 'audio' }];
  stopLoad = vi.fn();
  loadSource = vi.fn();
  attachMedia = vi.fn();
  startLoad = vi.fn();
  recoverMediaError = vi.fn();
  destroy = vi.fn();
  constructor() {
    world.latest = this;
  }
  removeLevel(place: number) {
    this.levels = this.levels.filter((_level, at) => at !== place);
    this.firstLevel = Math.min(this.firstLevel, this.levels.length - 1);
  }
  on(event: string, listener: Listener) {
    this.listeners.set(event, listener);
  }
  once = this.on;
  set loadLevel(place: number) {
    this.loadLevels.push(place);
  }
  trigger(event: string, { levels }: { levels: Level[] }) {
    if (event === FakeHls.Events.LEVELS_UPDATED) this.levels = levels;
  }
  say(event: string, data: unknown = {}) {
    this.listeners.get(event)?.(event, data);
  }
}

vi.mock('hls.js', () => ({
  // A class cannot be hoisted with the mock, so it is asked for when the engine needs it.
  default: new Proxy(class {}, {
    construct: () => new FakeHls(),
    get: (_target, name) => Reflect.get(FakeHls, name),
  }),
}));

const video = document.createElement('video');
const onTrouble = vi.fn();
const onQualities = vi.fn<(qualities: Quality[]) => void>();
const onUnplayable = vi.fn();
const onPlayable = vi.fn();
const OPTIONS = { lowLatency: true, onTrouble, onQualities, onUnplayable, onPlayable };
beforeEach(() => {
  onUnplayable.mockClear();
  onPlayable.mockClear();
  onTrouble.mockClear();
  onQualities.mockClear();
  FakeHls.plays = () => true;
});

function make() {
  const engine = makeHlsEngine(video, OPTIONS);
  return { engine, hls: world.latest };
}

describe('the settings of hls.js', () => {
  test('close to live it follows the server’s hold-back and catches up', () => {
    const config = configFor(true);
    expect(config).toMatchObject({ lowLatencyMode: true, maxLiveSyncPlaybackRate: 1.25, enableWorker: false });
    expect(config.liveSyncDuration).toBeUndefined();
  });

  test('relaxed it stays six seconds behind', () => {
    expect(configFor(false)).toMatchObject({ lowLatencyMode: false, liveSyncDuration: 6 });
  });
});

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
    const engine = makeHlsEngine(video, { ...OPTIONS, source: '/hls/audio/audio.m3u8' });
    const { latest: hls } = world;
    expect(hls.loadSource).toHaveBeenCalledExactlyOnceWith('/hls/audio/audio.m3u8');
    hls.say('parsed');
    vi.spyOn(video, 'readyState', 'get').mockReturnValue(4);
    engine.refreshQualities();
    expect(onPlayable).not.toHaveBeenCalled();
    world.latest.say('parsed');
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

describe('where further qualities are listed later', () => {
  const source = () => level('0', 1080, 6_000_000);
  function begun() {
    const { engine, hls } = make();
    hls.levels = [source()];
    hls.loadLevelObj = hls.levels[0] ?? null;
    hls.say('parsed');
    vi.spyOn(video, 'readyState', 'get').mockReturnValue(4);
    return { engine, hls };
  }
  async function listedNow({ engine, hls }: ReturnType<typeof begun>, levels: Level[]) {
    engine.refreshQualities();
    const reader = world.latest;
    reader.levels = levels;
    reader.allAudioTracks = [{ groupId: 'audio' }, { groupId: 'aac' }];
    reader.say('parsed');
    await loads(hls, { independent: true });
    return reader;
  }
  /** It begins to load a part, or a segment in one. */
  async function loads(hls: FakeHls, part?: { independent: boolean }, title: string | null = null) {
    hls.say('loading', { frag: { type: 'main', sn: 7, title }, part });
    await Promise.resolve();
  }

  test('they are taken in, and what plays goes on', async () => {
    const player = begun();
    const { engine, hls } = player;
    const [playing] = hls.levels;
    const reader = await listedNow(player, [
      level('2', 360, 800_000),
      level('1', 720, 2_000_000, 'mp4a.40.2', 'aac'),
      source(),
    ]);
    expect(hls.levels.map(({ height }) => height)).toEqual([360, 720, 1080]);
    expect(hls.levels[2]).toBe(playing);
    expect(hls.loadLevels).toEqual([2, -1]);
    expect(hls.allAudioTracks.map(({ groupId }) => groupId)).toEqual(['audio', 'aac']);
    expect(hls.stopLoad).toHaveBeenCalledTimes(1);
    expect(hls.startLoad).toHaveBeenCalledTimes(1);
    expect(hls.loadSource).toHaveBeenCalledTimes(1);
    expect(onQualities.mock.lastCall?.[0].map(({ id, height }) => [id, height])).toEqual([
      [1, 360],
      [2, 720],
      [0, 1080],
    ]);
    engine.setQuality(0);
    expect(hls.loadLevels.at(-1)).toBe(2);
    expect(reader.destroy).toHaveBeenCalled();
  });

  test('they are taken in only before something that begins with a key frame, which a browser waits for then', async () => {
    const player = begun();
    const { hls } = player;
    hls.say('loading', { frag: { type: 'main', sn: 6, title: null } });
    player.engine.refreshQualities();
    world.latest.levels = [level('1', 720, 2_000_000), source()];
    world.latest.say('parsed');
    await loads(hls, { independent: false });
    await loads(hls, undefined, 'continues');
    hls.say('loading', { frag: { type: 'audio', sn: 7, title: null } });
    hls.say('loading', { frag: { type: 'main', sn: 'initSegment', title: null } });
    await Promise.resolve();
    expect(hls.levels).toHaveLength(1);
    expect(hls.stopLoad).not.toHaveBeenCalled();
    await loads(hls);
    expect(hls.levels).toHaveLength(2);
    await loads(hls);
    expect(hls.stopLoad).toHaveBeenCalledTimes(1);
  });

  test('who chose one keeps it', async () => {
    const player = begun();
    const { hls } = player;
    hls.autoLevelEnabled = false;
    hls.manualLevel = 0;
    await listedNow(player, [level('1', 720, 2_000_000), source()]);
    expect(hls.loadLevels).toEqual([1, 1]);
  });

  test('nothing stops where nothing is new', async () => {
    const player = begun();
    const { hls } = player;
    await listedNow(player, [source()]);
    expect(hls.stopLoad).not.toHaveBeenCalled();
    expect(onQualities).toHaveBeenCalledTimes(1);
  });

  test('nobody looks before there is a picture', () => {
    const { engine, hls } = begun();
    vi.spyOn(video, 'readyState', 'get').mockReturnValue(0);
    engine.refreshQualities();
    expect(world.latest).toBe(hls);
  });
});

describe('where the list has every picture with two sounds', () => {
  /** As hls.js sorts them: by height, then by bitrate, whatever the sound is. */
  function listed(sound: string) {
    const { engine, hls } = make();
    hls.levels = [
      level('1', 480, 1_100_000, 'mp4a.40.2', 'aac'),
      level('1', 480, 1_200_000, sound),
      level('0', 1080, 6_100_000, 'mp4a.40.2', 'aac'),
      level('0', 1080, 6_200_000, sound),
    ];
    // The source stands first.
    hls.firstLevel = 3;
    return { engine, hls };
  }
  const groups = (hls: FakeHls) => hls.levels.map(({ uri, audioGroups }) => [uri.split('/')[2], audioGroups?.[0]]);

  test('who can play the broadcaster’s sound does not depend on the encoder', () => {
    const { engine, hls } = listed('Opus');
    hls.say('parsed');
    expect(groups(hls)).toEqual([
      ['1', 'audio'],
      ['0', 'audio'],
    ]);
    expect(hls.firstLevel).toBe(1);
    expect(onQualities).toHaveBeenCalledExactlyOnceWith([
      { id: 0, height: 480, kbps: 1200 },
      { id: 1, height: 1080, kbps: 6200 },
    ]);
    engine.setQuality(1);
    expect(hls.levels[hls.loadLevels.at(-1) ?? -1]?.uri).toBe('/hls/0/stream.m3u8');
  });

  test('who cannot play it is left with AAC', () => {
    const { hls } = listed('Opus');
    // hls.js has left out what this browser does not know.
    hls.levels = hls.levels.filter(({ audioGroups }) => audioGroups?.includes('aac'));
    hls.firstLevel = 1;
    hls.say('parsed');
    expect(groups(hls)).toEqual([
      ['1', 'aac'],
      ['0', 'aac'],
    ]);
    expect(hls.firstLevel).toBe(1);
  });

  test.each<[string, string[], string]>([
    ['Chromium, which plays MP3 inside of MP4 under no name', [], 'aac'],
    ['Firefox, which calls it by its own', ['audio/mp4; codecs="mp3"'], 'audio'],
    ['a browser that calls it what the list does', ['audio/mp4; codecs="mp4a.40.34"'], 'audio'],
  ])('MP3 in %s', (_name, types, group) => {
    FakeHls.plays = (type) => types.includes(type);
    const { hls } = listed('mp4a.40.34');
    hls.say('parsed');
    expect(groups(hls)).toEqual([
      ['1', group],
      ['0', group],
    ]);
  });

  test('MP3 stays where there is nothing else', () => {
    FakeHls.plays = () => false;
    const { hls } = listed('mp4a.40.34');
    hls.levels = hls.levels.filter(({ audioGroups }) => audioGroups?.includes('audio'));
    hls.say('parsed');
    expect(hls.levels).toHaveLength(2);
  });

  test('sound without a picture is chosen in the same way', () => {
    const { hls } = make();
    hls.levels = [level('aac', 0, 130_000, 'mp4a.40.2', 'aac'), level('audio', 0, 160_000, 'Opus')];
    hls.say('parsed');
    expect(groups(hls)).toEqual([['audio', 'audio']]);
  });

  test('a quality that wants less sound keeps it beside a source with its own', () => {
    const { hls } = make();
    hls.levels = [level('1', 480, 1_100_000, 'mp4a.40.2', 'aac'), level('0', 1080, 6_200_000)];
    hls.say('parsed');
    expect(groups(hls)).toEqual([
      ['1', 'aac'],
      ['0', 'audio'],
    ]);
  });
});

describe('with key frames far apart', () => {
  function begun(details: ReturnType<typeof ordinary>) {
    const { engine, hls } = make();
    hls.liveSyncPosition = 9;
    hls.latestLevelDetails = { partHoldBack: 1.5, holdBack: 6, edge: 10, age: 0, ...details };
    hls.say('updated', { details });
    return { engine, hls };
  }
  function bufferedFrom(start: number, end: number) {
    const ranges = { length: 1, start: () => start, end: () => end };
    return vi.spyOn(video, 'buffered', 'get').mockReturnValue(ranges);
  }

  test('an ordinary stream is started where hls.js starts it', () => {
    expect(begun(ordinary()).hls.startLoad).not.toHaveBeenCalled();
  });

  test('it starts just behind the last key frame before the live edge, where the sound has begun as well', () => {
    expect(begun(sparse()).hls.startLoad).toHaveBeenCalledExactlyOnceWith(2.25);
    const details = sparse();
    details.partList.forEach((part) => {
      part.independent = part.start === 8.5 || part.start === 9.5;
    });
    expect(begun(details).hls.startLoad).toHaveBeenCalledExactlyOnceWith(8.75);
  });

  test('without any key frame it leaves the start to hls.js', () => {
    const details = sparse();
    for (const fragment of details.fragments) fragment.title = 'continues';
    expect(begun(details).hls.startLoad).not.toHaveBeenCalled();
  });

  test('it jumps to live only into what can be shown', () => {
    const { engine } = begun(sparse());
    const buffered = bufferedFrom(2, 9.5);
    video.currentTime = 3;
    engine.seekToLive();
    expect(video.currentTime).toBe(9);
    buffered.mockRestore();

    video.currentTime = 0.5;
    engine.seekToLive();
    expect(video.currentTime).toBe(2.25);
  });

  test('where only the first segment is whole it begins with that one, too', () => {
    const details = sparse();
    details.fragments = [{ start: 7, title: null }];
    details.partList = [9, 9.5].map((start, index) => ({ start, index, independent: false }));
    expect(begun(details).hls.startLoad).toHaveBeenCalledExactlyOnceWith(7.25);
  });

  test('a rescue goes to what has arrived further on, or else to the last key frame', () => {
    const { engine } = begun(sparse());
    const buffered = bufferedFrom(5, 7);
    video.currentTime = 4;
    engine.rescue();
    expect(video.currentTime).toBe(5.01);
    video.currentTime = 8;
    engine.rescue();
    expect(video.currentTime).toBe(2.25);
    video.currentTime = 2;
    buffered.mockRestore();
    engine.rescue();
    expect(video.currentTime).toBe(2);
  });

  test('a rescue leaves an ordinary stream that is slow to arrive alone', () => {
    const { engine } = begun(ordinary());
    video.currentTime = 3;
    engine.rescue();
    expect(video.currentTime).toBe(3);
  });

  test('who waits for the next part is not thrown back to the last key frame', () => {
    const { engine } = begun(sparse());
    const buffered = bufferedFrom(2, 5);
    video.currentTime = 5;
    engine.seekToLive();
    expect(video.currentTime).toBe(5);
    buffered.mockRestore();
  });

  test('it does not jump back behind what is playing', () => {
    const { engine } = begun(sparse());
    const buffered = bufferedFrom(2, 5);
    video.currentTime = 4;
    engine.seekToLive();
    expect(video.currentTime).toBe(4);
    buffered.mockRestore();
  });
});

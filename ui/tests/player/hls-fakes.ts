/** As much of hls.js as the engine touches, in place of it, and an engine on top. */
import { beforeEach, vi } from 'vitest';
import type { EngineOptions, Quality } from '../../src/viewer/player/engine.ts';
import { makeHlsEngine } from '../../src/viewer/player/hls-engine.ts';

type Listener = (event: string, data: unknown) => void;

interface Segment {
  start: number;
  title: string | null;
}

/** Five segments of two seconds that begin with a key frame, as almost always. */
export function ordinary() {
  const fragments: Segment[] = [0, 2, 4, 6, 8].map((start) => ({ start, title: null }));
  return { fragments, partList: null as { start: number; index: number; independent: boolean }[] | null };
}

/** The same with a single key frame, at 2. */
export function sparse() {
  const { fragments } = ordinary();
  return {
    fragments: fragments.map(({ start }) => ({ start, title: start === 2 ? null : 'continues' })),
    partList: [8, 8.5, 9, 9.5].map((start, index) => ({ start, index, independent: false })),
  };
}

export interface Level {
  uri: string;
  height: number;
  bitrate: number;
  codecs: string;
  videoCodec?: string;
  audioGroups?: string[];
  loadError: number;
}

export function level(folder: string, height: number, bitrate: number, sound = 'mp4a.40.2', group = 'audio'): Level {
  const uri = `/hls/${folder}/stream.m3u8`;
  const videoCodec = height > 0 ? 'avc1.64001f' : undefined;
  const codecs = [videoCodec, sound].filter(Boolean).join(',');
  return { uri, height, bitrate, codecs, videoCodec, audioGroups: [group], loadError: 0 };
}

const world = vi.hoisted(() => ({ latest: undefined as unknown as FakeHls }));

export class FakeHls {
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

export const video = document.createElement('video');
export const onTrouble = vi.fn();
export const onQualities = vi.fn<(qualities: Quality[]) => void>();
export const onUnplayable = vi.fn();
export const onPlayable = vi.fn();
export const OPTIONS = { lowLatency: true, onTrouble, onQualities, onUnplayable, onPlayable };
beforeEach(() => {
  onUnplayable.mockClear();
  onPlayable.mockClear();
  onTrouble.mockClear();
  onQualities.mockClear();
  FakeHls.plays = () => true;
});

/** Tests make theirs here: the engine, loaded before this file, would have the real hls.js. */
export function make(options: EngineOptions = OPTIONS) {
  const engine = makeHlsEngine(video, options);
  return { engine, hls: world.latest };
}

/** The newest of them. */
export const latest = (): FakeHls => world.latest;

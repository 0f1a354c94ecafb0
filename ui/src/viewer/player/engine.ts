/**
 * What plays the stream: hls.js where the browser has media source extensions, Safari's own player on Safari.
 * This file is small and on every page; hls.js itself arrives only when there is something to play.
 */
import type { UnplayableCodec } from './codecs.ts';
import type { Trouble } from './recovery.ts';

/** What VLC, mpv and televisions open too. */
export const PLAYLIST = '/hls/stream.m3u8';
const HLS_TYPE = 'application/vnd.apple.mpegurl';

export interface Quality {
  id: number;
  /** 0 where there is no picture. */
  height: number;
  kbps: number;
  /** The operator's, where it is known. */
  name?: string;
}

/** The id for: choose by yourself what the connection can carry. */
export const AUTOMATIC = -1;

/** A piece of a list: where it is on the video's clock, and when it was recorded. */
export interface Dated {
  start: number;
  duration: number;
  /** Milliseconds since 1970; null where the list does not say. */
  programDateTime: number | null;
}

/** What the list has, as far as anybody can go; `edge` is the end of the newest picture. */
export interface Timeline {
  fragments: readonly Dated[];
  edge: number;
}

export interface EngineOptions {
  lowLatency: boolean;
  /** Another playlist than that of everything: the sound alone, or one that reaches further back. */
  source?: string | undefined;
  /** Where to begin in it; undefined is at the live edge. */
  begin?: ((list: Timeline) => number | undefined) | undefined;
  /** How much to fetch ahead, where less than usual is enough. */
  bufferSeconds?: number;
  onTrouble: (trouble: Trouble) => void;
  onQualities: (qualities: Quality[]) => void;
  /** Told before trouble with a codec. */
  onUnplayable: (unplayable: UnplayableCodec) => void;
  /** While another playlist plays: the list of qualities now has something that this browser can play. */
  onPlayable: () => void;
}

export interface ConnectionMeasures {
  bandwidthKbps?: number;
  /** The last whole segment of the picture, from the request to its last byte. */
  downloadSeconds?: number;
}

export interface Engine {
  /** Seconds behind live, where the engine can tell. */
  latency: () => number | undefined;
  /** Seconds behind the place where a new viewer would start. */
  behind: () => number;
  /** Whether what is shown at that place has arrived, so that a jump there takes no time. */
  isLiveBuffered: () => boolean;
  /** There is nothing to show at this place, and has not been for a while: goes to one that can be shown, if any can. */
  rescue: () => void;
  seekToLive: () => void;
  /** Undefined until there is a list. */
  timeline: () => Timeline | undefined;
  /** Goes to this place, or to the closest one before it where a picture can begin. */
  seek: (position: number) => void;
  setLowLatency: (on: boolean) => void;
  /** They were not the viewer's: no need to keep away from live because of them. */
  forgetStalls: () => void;
  setQuality: (id: number) => void;
  /** The quality that is on the screen; `AUTOMATIC` where the engine cannot tell. */
  shownQuality: () => number;
  /** What the connection has shown of itself; nothing where the engine cannot tell. */
  connection: () => ConnectionMeasures;
  /** Reads the list of qualities again and takes in what is new, while the picture goes on. */
  refreshQualities: () => void;
  /** Asks for the playlists again. */
  reload: () => void;
  /** Rebuilds broken buffers. */
  mend: () => void;
  destroy: () => void;
}

export type MakeEngine = (video: HTMLVideoElement, options: EngineOptions) => Engine;

export type EngineKind = 'hls.js' | 'native' | 'none';

/**
 * Chromium says "maybe" to HLS too, but only Safari's own player knows parts and AirPlay; everywhere else hls.js is
 * better. Old iPhones have no media source at all.
 */
export function engineKind(scope: object, video: Pick<HTMLVideoElement, 'canPlayType'>): EngineKind {
  const playsHls = video.canPlayType(HLS_TYPE) !== '';
  const isSafari = 'WebKitPlaybackTargetAvailabilityEvent' in scope;
  if (playsHls && isSafari) return 'native';
  if ('MediaSource' in scope || 'ManagedMediaSource' in scope) return 'hls.js';
  return playsHls ? 'native' : 'none';
}

/** Undefined where this browser cannot play the stream at all. */
export async function loadEngine(): Promise<MakeEngine | undefined> {
  const kind = engineKind(window, document.createElement('video'));
  if (kind === 'none') return undefined;
  if (kind === 'native') return (await import('./native-engine.ts')).makeNativeEngine;
  return (await import('./hls-engine.ts')).makeHlsEngine;
}

/**
 * hls.js. Not its "light" build: that one has no controllers for audio in a playlist of its own, which is how our
 * stream carries it, and the full one (185 KB) does not fit the page. hls-build.ts builds it from its sources with just
 * what is used of it, which is smaller than "light" (116 KB).
 */
import Hls, { type ErrorData, type HlsConfig, type Level, type LoaderConfig } from 'hls.js';
import { type CodecList, unplayableIn } from './codecs.ts';
import { AUTOMATIC, type Engine, type EngineOptions, PLAYLIST } from './engine.ts';
import { beginsAnywhere, beginsWithKeyFrame, entryBefore } from './entry.ts';
import { type LevelList, readList, takeIn } from './new-levels.ts';
import type { Trouble } from './recovery.ts';
import { chooseSound, ENCODED } from './twins.ts';

/** Fast enough to catch up within seconds, slow enough not to be heard. */
const CATCH_UP_RATE = 1.25;
/** The relaxed distance to live, for connections that stutter at the edge. */
const RELAXED_SECONDS = 6;
/** A stream has parts before its first segment is whole, and hls.js needs one; it would ask again later each time. */
const FIRST_SEGMENT_WAIT_MS = 250;
/** What is buffered begins with a picture that can be shown; its time is rounded. */
const INTO_BUFFER_SECONDS = 0.01;
/** What comes next continues what was shown; parts last a second at most. */
const NEXT_PART_SECONDS = 1;

const NOT_FOUND = 404;
/** hls.js changes to another quality after the first if it can; who asks again has nothing to change to. */
const GONE_AFTER = 2;

/** While a publisher is away the playlists stand still or fail; we ask on as long as a grace time may last. */
const PLAYLIST_LOADING: LoaderConfig = {
  maxTimeToFirstByteMs: 10_000,
  maxLoadTimeMs: 20_000,
  timeoutRetry: { maxNumRetry: 10, retryDelayMs: 0, maxRetryDelayMs: 0 },
  errorRetry: { maxNumRetry: 20, retryDelayMs: 500, maxRetryDelayMs: 3_000, backoff: 'exponential' },
};

export function configFor(lowLatency: boolean): Partial<HlsConfig> {
  return {
    lowLatencyMode: lowLatency,
    maxLiveSyncPlaybackRate: CATCH_UP_RATE,
    // Without it the target is the server's hold-back: three parts.
    ...(lowLatency ? {} : { liveSyncDuration: RELAXED_SECONDS }),
    // Each stall moves the viewer a little away from live, where the next one is less likely.
    liveSyncOnStallIncrease: 0.5,
    // Our segments are passed on as they are; there is nothing for a worker to do, and no blob: worker to allow.
    enableWorker: false,
    liveDurationInfinity: true,
    backBufferLength: 20,
    maxBufferLength: 20,
    maxMaxBufferLength: 30,
    startFragPrefetch: true,
    playlistLoadPolicy: { default: PLAYLIST_LOADING },
  };
}

/**
 * A codec that this browser does not know, in the list or in a file. Buffers are not to blame, so mending them does not
 * help; a list that is read later may have another sound, which is encoded some seconds after a stream has begun.
 */
function isRefused({ details }: ErrorData): boolean {
  const { MANIFEST_INCOMPATIBLE_CODECS_ERROR, BUFFER_ADD_CODEC_ERROR } = Hls.ErrorDetails;
  return details === MANIFEST_INCOMPATIBLE_CODECS_ERROR || details === BUFFER_ADD_CODEC_ERROR;
}

/** Which list is not there any more, if one is: asking for it again does not help, the list of lists has others. */
function goneList({ details, response, context }: ErrorData): 'picture' | 'encoded sound' | undefined {
  if (response?.code !== NOT_FOUND) return undefined;
  if (details === Hls.ErrorDetails.LEVEL_LOAD_ERROR) return 'picture';
  const isSound = details === Hls.ErrorDetails.AUDIO_TRACK_LOAD_ERROR;
  return isSound && context?.groupId === ENCODED ? 'encoded sound' : undefined;
}

/**
 * hls.js changes from a quality that is gone to another, but never to one whose sound has another codec, as HE-AAC
 * beside the encoder's AAC. Where it has found none, one that has not failed is there for who starts from nothing.
 */
function isDeadEnd(hls: Hls, { errorAction }: ErrorData): boolean {
  return errorAction?.nextAutoLevel === undefined && hls.levels.some(({ loadError }) => loadError === 0);
}

function troubleOf(error: ErrorData): Trouble {
  if (error.type === Hls.ErrorTypes.NETWORK_ERROR) return goneList(error) ? 'other' : 'network';
  if (isRefused(error)) return 'codec';
  return error.type === Hls.ErrorTypes.MEDIA_ERROR ? 'media' : 'other';
}

/** Places change when there is more to choose from, numbers do not. */
function numbered() {
  const known: Level[] = [];
  const numberOf = (level: Level) => {
    if (!known.includes(level)) known.push(level);
    return known.indexOf(level);
  };
  return { numberOf, levelOf: (id: number) => known[id] };
}

/** Whether what is shown at `position` is there already, or at most `wait` seconds before it. */
function isBuffered(video: HTMLVideoElement, position: number, wait = 0): boolean {
  const { buffered } = video;
  return Array.from({ length: buffered.length }, (_, at) => at).some(
    (at) => buffered.start(at) <= position && position < buffered.end(at) + wait,
  );
}

const plays = (type: string) => Hls.getMediaSource()?.isTypeSupported(type) ?? false;

export function makeHlsEngine(video: HTMLVideoElement, options: EngineOptions): Engine {
  const config = configFor(options.lowLatency);
  const { bufferSeconds = config.maxBufferLength } = options;
  const hls = new Hls({ ...config, maxBufferLength: bufferSeconds });
  let parsed = false;
  let stopReading = () => {};
  let firstSegment: ReturnType<typeof setTimeout> | undefined;
  const numbers = numbered();
  const tellQualities = () => {
    const all = hls.levels.map((level) => {
      return { id: numbers.numberOf(level), height: level.height, kbps: Math.round(level.bitrate / 1000) };
    });
    options.onQualities(all);
  };
  /** How often in a row a list was not there, while others were. */
  const refusals = { picture: 0, sound: 0 };
  const refuse = (list: keyof typeof refusals) => {
    refusals[list] += 1;
    if (refusals.picture + refusals.sound === GONE_AFTER) options.onTrouble('other');
  };

  const source = options.source ?? PLAYLIST;
  let listed: CodecList = { levels: [], audioTracks: [] };
  hls.on(Hls.Events.MANIFEST_LOADED, (_event, { levels, audioTracks }) => {
    listed = { levels, audioTracks };
  });
  hls.on(Hls.Events.MANIFEST_PARSED, () => {
    parsed = true;
    // Before anything is loaded, and before anybody can choose.
    chooseSound(hls, plays);
    tellQualities();
  });
  hls.once(Hls.Events.LEVEL_UPDATED, (_event, { details }) => {
    const wanted = options.begin?.(details);
    if (beginsAnywhere(details)) {
      if (wanted !== undefined) hls.startLoad(wanted);
      return;
    }
    const place = wanted ?? hls.liveSyncPosition;
    const entry = place === null ? undefined : entryBefore(details, place);
    if (entry !== undefined) hls.startLoad(entry);
  });
  hls.on(Hls.Events.LEVEL_LOADED, () => {
    refusals.picture = 0;
  });
  hls.on(Hls.Events.AUDIO_TRACK_LOADED, () => {
    refusals.sound = 0;
  });
  hls.on(Hls.Events.ERROR, (_event, error) => {
    if (error.fatal) {
      if (isRefused(error)) options.onUnplayable(unplayableIn(listed, plays));
      options.onTrouble(troubleOf(error));
      return;
    }
    if (error.details === Hls.ErrorDetails.LEVEL_EMPTY_ERROR) {
      clearTimeout(firstSegment);
      firstSegment = setTimeout(() => {
        // Stopping also forgets how often it was in vain.
        hls.stopLoad();
        hls.startLoad();
      }, FIRST_SEGMENT_WAIT_MS);
      return;
    }
    const gone = goneList(error);
    // It would ask on for either for ever, and the viewer would see nothing meanwhile.
    if (gone === 'encoded sound') refuse('sound');
    if (gone !== 'picture') return;
    if (isDeadEnd(hls, error)) {
      refuse('picture');
      return;
    }
    // It has changed to another quality, or a whole stream is gone, which comes back under its old address.
    refusals.picture = 0;
    refusals.sound = 0;
  });
  let downloadSeconds: number | undefined;
  hls.on(Hls.Events.FRAG_LOADED, (_event, { frag, part }) => {
    if (frag.type !== 'main') return;
    const { start, end } = frag.stats.loading;
    // Close to live it loads parts, some of which it has to wait for: that is no time of a segment.
    downloadSeconds = part || end <= start ? undefined : (end - start) / 1000;
  });
  /** What has been listed anew, until it can be taken in. */
  let fresh: LevelList | undefined;
  const takeInFresh = () => {
    const found = fresh;
    fresh = undefined;
    if (found && takeIn(hls, found)) tellQualities();
  };
  // The quality that plays gets another place, and hls.js tells the browser its codec again before what it loads next
  // from there. After that a browser shows nothing until the next key frame: so it has to be what is loaded next.
  hls.on(Hls.Events.FRAG_LOADING, (_event, { frag, part }) => {
    if (!fresh || frag.type !== 'main' || frag.sn === 'initSegment' || !beginsWithKeyFrame(frag, part)) return;
    // Others may still be listening to what is being said.
    queueMicrotask(takeInFresh);
  });
  hls.loadSource(source);
  hls.attachMedia(video);

  /** Sets the distance to live anew; hls.js also forgets the stalls it has counted with that. */
  const aim = () => {
    const details = hls.latestLevelDetails;
    const closest = details?.partHoldBack || details?.holdBack || RELAXED_SECONDS;
    hls.targetLatency = hls.lowLatencyMode ? closest : RELAXED_SECONDS;
  };
  const seekToLive = () => {
    const [live, list] = [hls.liveSyncPosition, hls.latestLevelDetails];
    if (live === null) return;
    if (!list || beginsAnywhere(list) || isBuffered(video, live)) {
      video.currentTime = live;
      return;
    }
    // Who plays on from a later place than the last key frame is closer to live than a jump would take them.
    const entry = entryBefore(list, live);
    // Who has shown all that arrived is waiting for the next part, and would see everything since that frame again.
    const isBetter = video.currentTime > live || !isBuffered(video, video.currentTime, NEXT_PART_SECONDS);
    if (entry !== undefined && (isBetter || entry > video.currentTime)) video.currentTime = entry;
  };

  const rescue = () => {
    const arrived = Array.from({ length: video.buffered.length }, (_, at) => video.buffered.start(at));
    const ahead = arrived.find((start) => start > video.currentTime);
    if (ahead !== undefined) {
      video.currentTime = ahead + INTO_BUFFER_SECONDS;
      return;
    }
    const [live, list] = [hls.liveSyncPosition, hls.latestLevelDetails];
    if (live === null || !list || beginsAnywhere(list)) return;
    const entry = entryBefore(list, live);
    // Who is there already waits for it to arrive.
    if (entry !== undefined && Math.abs(entry - video.currentTime) > NEXT_PART_SECONDS) video.currentTime = entry;
  };

  const refreshQualities = () => {
    // Before there is a picture a new start of loading would be one from nothing.
    if (!parsed || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return;
    stopReading();
    stopReading = readList(configFor(options.lowLatency), plays, (found) => {
      if (options.source) options.onPlayable();
      else fresh = found;
    });
  };

  return {
    // hls.js measures when time passes: at the start it would tell how far away from live the beginning is.
    latency: () => {
      const list = hls.latestLevelDetails;
      if (!list || video.seeking || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) return undefined;
      return Math.max(list.edge + list.age - video.currentTime, 0);
    },
    behind: () => Math.max((hls.liveSyncPosition ?? 0) - video.currentTime, 0),
    isLiveBuffered: () => hls.liveSyncPosition !== null && isBuffered(video, hls.liveSyncPosition),
    rescue,
    seekToLive,
    timeline: () => hls.latestLevelDetails ?? undefined,
    seek: (position) => {
      const list = hls.latestLevelDetails;
      const entry = list && !beginsAnywhere(list) ? entryBefore(list, position) : undefined;
      video.currentTime = entry ?? position;
    },
    setLowLatency: (on) => {
      hls.lowLatencyMode = on;
      aim();
      if (!on) video.playbackRate = 1;
      // Towards live it can only speed up; away from live it has to step back once.
      seekToLive();
    },
    forgetStalls: aim,
    setQuality: (id) => {
      const level = numbers.levelOf(id);
      // From the end of what is buffered on, which is a few seconds away. `nextLevel` would drop what is buffered beyond
      // the next second and load it anew: the encoder begins later than the stream, so in a stream's first seconds its
      // list may not reach back that far, and the picture would jump over the hole.
      hls.loadLevel = level ? hls.levels.indexOf(level) : AUTOMATIC;
    },
    shownQuality: () => {
      const level = hls.levels[hls.currentLevel];
      return level ? numbers.numberOf(level) : AUTOMATIC;
    },
    connection: () => {
      const bits = hls.bandwidthEstimate;
      return { bandwidthKbps: bits > 0 ? Math.round(bits / 1000) : undefined, downloadSeconds };
    },
    refreshQualities,
    reload: () => {
      if (parsed) hls.startLoad();
      else hls.loadSource(source);
    },
    mend: () => hls.recoverMediaError(),
    destroy: () => {
      stopReading();
      clearTimeout(firstSegment);
      hls.destroy();
    },
  };
}

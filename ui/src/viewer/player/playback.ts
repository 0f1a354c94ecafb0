/**
 * One <video> and the engine behind it: starts, notices, mends. It knows nothing of buttons; the page reads its
 * signals. As long as it lives it goes on trying, so that viewers never have to reload after an outage.
 */
import { type Accessor, createSignal } from 'solid-js';
import type { UnplayableCodec } from './codecs.ts';
import { AUTOMATIC, type Engine, type MakeEngine, type Quality, type Timeline } from './engine.ts';
import { askVariants, isMissingSome, withNames } from './names.ts';
import { preferQuality, preferredAmong } from './quality-preference.ts';
import { createRecovery, type Trouble } from './recovery.ts';
import type { PlaybackMeasures } from './reports.ts';
import { type Autoplay, rememberVolume, startPlaying } from './sound.ts';
import type { Phase } from './state.ts';

/** Further behind than this, a jump into what has arrived is kinder than many seconds at a higher speed. */
const JUMP_SECONDS = 2;
/** Further behind than this it is worth waiting for what has not arrived. */
const TOO_FAR_BEHIND_SECONDS = 8;
/** What is at the very end of a range that has arrived may not be shown. */
const INSIDE_SECONDS = 0.1;
const WATCH_INTERVAL_MS = 1_000;
/** An encoder takes two or three seconds from the first picture on. */
const LOOK_AGAIN_MS = 1_000;
/** Where it does not run or has given up, it may come back at any time. */
const LONGEST_LOOK_MS = 15_000;
/** So many looks without a picture, though the stream is there, and it has to be somewhere else. */
const DARK_TICKS = 3;
/** hls.js leaves out the last part of a list that has ended; parts last a second at most. */
const LAST_PART_SECONDS = 1.5;

export interface PlaybackOptions {
  video: HTMLVideoElement;
  makeEngine: MakeEngine;
  autoplay: Autoplay;
  startMuted: boolean;
  lowLatency: boolean;
}

/** Another list than the live one, which reaches further back. */
export interface Source {
  playlist: string;
  /** Where to begin in it. */
  begin: (list: Timeline) => number | undefined;
}

/** What becomes possible where the server keeps more than the last seconds. */
export interface Past {
  /** After a break; whether the picture goes on where it stopped. */
  resume: () => boolean;
  /** Whether it has gone there. */
  skip: (seconds: number) => boolean;
  /** The other list cannot be had, and the live one is shown again. */
  onRefused: () => void;
}

export interface Playback {
  phase: Accessor<Phase>;
  paused: Accessor<boolean>;
  stalled: Accessor<boolean>;
  latency: Accessor<number | undefined>;
  qualities: Accessor<Quality[]>;
  quality: Accessor<number>;
  /** The one on the screen; `AUTOMATIC` where nobody can tell. */
  shownQuality: Accessor<number>;
  lowLatency: Accessor<boolean>;
  /** Muted by the browser's rule, not by the viewer. */
  soundBlocked: Accessor<boolean>;
  /** Not even muted playback was allowed, or it was not asked for: it takes a press. */
  needsPress: Accessor<boolean>;
  /** What this browser cannot decode; meaningful while that is the phase, and while only the sound is heard. */
  unplayable: Accessor<UnplayableCodec | undefined>;
  /** Only the sound is played, because the picture cannot be. */
  isListening: Accessor<boolean>;
  /** Plays the sound until there is a picture that can be shown. */
  listen: () => void;
  unmute: () => void;
  press: () => void;
  seekToLive: () => void;
  /** Seconds behind the place where a new viewer would start. */
  behind: () => number;
  /** What the list that plays has; undefined until there is one. */
  timeline: () => Timeline | undefined;
  /** To a place in the list that plays, where it stays. */
  seek: (position: number) => void;
  /** Plays from another list; undefined is the live one. */
  playFrom: (source: Source | undefined) => void;
  /** The list that plays instead of the live one. */
  source: Accessor<Source | undefined>;
  /** Who knows how to go back further; undefined is nobody. */
  setPast: (past: Past | undefined) => void;
  /** So many seconds on, or back where it is negative, as far as there is something to show. */
  skip: (seconds: number) => void;
  forgetStalls: () => void;
  chooseQuality: (id: number) => void;
  chooseLowLatency: (on: boolean) => void;
  restart: () => void;
  /** Asks again for what could not be fetched, and keeps what is shown. */
  retry: () => void;
  /** For reports to the server. */
  measures: () => PlaybackMeasures;
  destroy: () => void;
}

export function createPlayback(options: PlaybackOptions): Playback {
  const { video } = options;
  const [phase, setPhase] = createSignal<Phase>('starting');
  const [paused, setPaused] = createSignal(true);
  const [stalled, setStalled] = createSignal(false);
  const [latency, setLatency] = createSignal<number>();
  const [qualities, setQualities] = createSignal<Quality[]>([]);
  const [quality, setQuality] = createSignal(AUTOMATIC);
  const [shownQuality, setShownQuality] = createSignal(AUTOMATIC);
  const [lowLatency, setLowLatency] = createSignal(options.lowLatency);
  const [soundBlocked, setSoundBlocked] = createSignal(false);
  const [needsPress, setNeedsPress] = createSignal(options.autoplay === 'off');

  const [unplayable, setUnplayable] = createSignal<UnplayableCodec>();
  const [isListening, setListening] = createSignal(false);
  const [source, setSource] = createSignal<Source>();

  const recovery = createRecovery(() => performance.now());
  let engine: Engine | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let look: ReturnType<typeof setTimeout> | undefined;
  let isGone = false;
  let wantsToPlay = options.autoplay !== 'off';
  let pausedAt: number | undefined;
  let darkFor = 0;
  let troubles = 0;
  let qualityChanges = 0;
  /** The viewer went back to see something again, and is not behind by accident. */
  let isRewound = false;
  let past: Past | undefined;
  /** Whether there has been a picture from the list that is played instead of the live one. */
  let sourceRan = false;

  const onQualities = (found: Quality[]) => {
    setQualities(found);
    // That list has no more than the sound; whether there is a picture meanwhile is looked for all the time.
    if (isListening()) return;
    clearTimeout(look);
    const preferred = quality() === AUTOMATIC ? preferredAmong(found) : undefined;
    if (preferred) choose(preferred.id);
    void askVariants().then((variants) => {
      if (isGone || qualities() !== found) return;
      // With one there is nothing to choose and nothing to call by a name.
      if (found.length > 1) setQualities(withNames(found, variants));
      if (isMissingSome(found, variants)) lookAgain(LOOK_AGAIN_MS);
    });
  };

  const choose = (id: number) => {
    setQuality(id);
    engine?.setQuality(id);
  };

  /** What is encoded is listed some seconds after the stream has begun. */
  const lookAgain = (afterMs: number) => {
    clearTimeout(look);
    look = setTimeout(() => {
      engine?.refreshQualities();
      lookAgain(Math.min(afterMs * 1.5, LONGEST_LOOK_MS));
    }, afterMs);
  };

  /** Counts for the server's reports: whether the picture stands still, and how often it came to that. */
  const noteStall = (isNow: boolean) => {
    // A jump empties what is shown as well, and is what the viewer wanted.
    if (isNow && !stalled() && !video.seeking && phase() === 'running') troubles += 1;
    setStalled(isNow);
  };
  const noteShown = (id: number) => {
    const before = shownQuality();
    if (before !== AUTOMATIC && id !== AUTOMATIC && id !== before) qualityChanges += 1;
    setShownQuality(id);
  };

  const build = () => {
    clearTimeout(retry);
    clearTimeout(look);
    engine?.destroy();
    setQuality(AUTOMATIC);
    const sound = isListening() ? unplayable()?.sound : undefined;
    const other = sound ? undefined : source();
    engine = options.makeEngine(video, {
      lowLatency: lowLatency(),
      source: sound ?? other?.playlist,
      begin: other?.begin,
      onTrouble,
      onQualities,
      onUnplayable: setUnplayable,
      onPlayable: startAnew,
    });
    if (sound) lookAgain(LOOK_AGAIN_MS);
  };

  const playFrom = (next: Source | undefined) => {
    setSource(next);
    sourceRan = false;
    isRewound = next !== undefined;
    if (wantsToPlay) setPhase('starting');
    build();
  };

  const startAnew = () => {
    setPhase('starting');
    setStalled(false);
    setListening(false);
    wantsToPlay = true;
    playFrom(undefined);
  };

  const onTrouble = (trouble: Trouble) => {
    troubles += 1;
    if (source() && !sourceRan) {
      playFrom(undefined);
      past?.onRefused();
      return;
    }
    const remedy = recovery.next(trouble);
    if (remedy.worthTelling) setPhase(trouble === 'codec' ? 'unplayable' : 'failed');
    clearTimeout(retry);
    retry = setTimeout(() => {
      if (remedy.action === 'reload') engine?.reload();
      else if (remedy.action === 'mend') engine?.mend();
      else build();
    }, remedy.afterMs);
  };

  const start = async () => {
    if (!wantsToPlay || !video.paused) return;
    const result = await startPlaying(video, options.autoplay);
    if (result === 'muted') setSoundBlocked(true);
    if (result === 'blocked') {
      wantsToPlay = false;
      setNeedsPress(true);
    }
  };

  /** The events for it come late, twice or not at all; what there is to play next is always known. */
  const noticeStall = () => {
    const nothingLeft = !video.paused && video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
    noteStall(nothingLeft);
    // Endless while the stream is on, so this is the end of one that is over.
    if (nothingLeft && video.duration - video.currentTime < LAST_PART_SECONDS) setPhase('ended');
  };

  const listeners: Partial<Record<keyof HTMLMediaElementEventMap, () => void>> = {
    canplay: () => void start(),
    play: () => {
      wantsToPlay = true;
      setPaused(false);
      setNeedsPress(false);
      if (!engine) build();
      if (pausedAt !== undefined && performance.now() - pausedAt > WATCH_INTERVAL_MS) {
        // Who comes back from a break wants to see what is on, not what was, unless it can all be seen.
        if (past?.resume()) isRewound = true;
        else seekToLive();
      }
      pausedAt = undefined;
    },
    pause: () => {
      setPaused(true);
      if (video.ended) return;
      wantsToPlay = false;
      pausedAt = performance.now();
    },
    playing: () => {
      setPhase('running');
      setStalled(false);
      sourceRan = true;
      recovery.healthy();
    },
    timeupdate: () => noticeStall(),
    waiting: () => noteStall(true),
    // A source that was taken away stops without a pause event.
    emptied: () => setPaused(video.paused),
    ended: () => setPhase('ended'),
    volumechange: () => {
      if (!video.muted) setSoundBlocked(false);
    },
  };

  const seekToLive = () => {
    isRewound = false;
    engine?.seekToLive();
  };

  const skip = (seconds: number) => {
    if (!engine || past?.skip(seconds)) return;
    if (seconds > 0 && engine.behind() <= seconds) {
      seekToLive();
      return;
    }
    const { buffered, currentTime } = video;
    const ranges = Array.from({ length: buffered.length }, (_, at) => [buffered.start(at), buffered.end(at)] as const);
    const here = ranges.find(([start, end]) => start <= currentTime && currentTime <= end);
    if (!here) return;
    const [start, end] = here;
    isRewound = true;
    video.currentTime = Math.min(Math.max(currentTime + seconds, start + INSIDE_SECONDS), end - INSIDE_SECONDS);
  };

  /** After an outage, for instance: hls.js only speeds up while it is close to live, and then stays where it is. */
  const isLeftBehind = () => {
    const behind = engine?.behind() ?? 0;
    if (behind <= JUMP_SECONDS) isRewound = false;
    if (isRewound) return false;
    return behind > TOO_FAR_BEHIND_SECONDS || (behind > JUMP_SECONDS && Boolean(engine?.isLiveBuffered()));
  };

  const watch = () => {
    setLatency(engine?.latency());
    noteShown(engine?.shownQuality() ?? AUTOMATIC);
    noticeStall();
    const hasNothing = wantsToPlay && video.readyState === HTMLMediaElement.HAVE_METADATA;
    darkFor = hasNothing ? darkFor + 1 : 0;
    if (darkFor >= DARK_TICKS) {
      darkFor = 0;
      engine?.rescue();
      return;
    }
    if (!video.paused && !video.seeking && isLeftBehind()) seekToLive();
  };

  video.muted = options.startMuted;
  const forgetVolume = rememberVolume(video);
  for (const [name, listener] of Object.entries(listeners)) video.addEventListener(name, listener);
  const watcher = setInterval(watch, WATCH_INTERVAL_MS);
  // Who has not asked to watch should not pay for it.
  if (wantsToPlay) build();

  return {
    phase,
    paused,
    stalled,
    latency,
    qualities,
    quality,
    shownQuality,
    lowLatency,
    soundBlocked,
    needsPress,
    unmute: () => {
      video.muted = false;
      if (video.volume === 0) video.volume = 1;
      setSoundBlocked(false);
    },
    press: () => {
      wantsToPlay = true;
      setNeedsPress(false);
      if (engine) void start();
      else build();
    },
    seekToLive,
    behind: () => engine?.behind() ?? 0,
    timeline: () => engine?.timeline(),
    seek: (position) => {
      isRewound = true;
      engine?.seek(position);
    },
    playFrom,
    source,
    setPast: (next) => {
      past = next;
    },
    skip,
    forgetStalls: () => engine?.forgetStalls(),
    chooseQuality: (id) => {
      preferQuality(qualities().find((one) => one.id === id));
      choose(id);
    },
    chooseLowLatency: (on) => {
      setLowLatency(on);
      engine?.setLowLatency(on);
    },
    unplayable,
    isListening,
    listen: () => {
      setPhase('starting');
      setListening(true);
      wantsToPlay = true;
      build();
    },
    restart: startAnew,
    retry: () => engine?.reload(),
    measures: () => ({
      // How far behind somebody is who went there says nothing about the stream.
      latencySeconds: source() ? undefined : latency(),
      ...engine?.connection(),
      troubles,
      qualityChanges,
    }),
    destroy: () => {
      isGone = true;
      clearTimeout(retry);
      clearTimeout(look);
      clearInterval(watcher);
      forgetVolume();
      for (const [name, listener] of Object.entries(listeners)) video.removeEventListener(name, listener);
      engine?.destroy();
    },
  };
}

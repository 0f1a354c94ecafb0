/**
 * One <video> and the engine behind it, for something that is over: it has a beginning and an end, and every place in
 * between can be gone to. What is live is played by `player/playback.ts`.
 */
import { type Accessor, createSignal } from 'solid-js';
import type { UnplayableCodec } from '../../player/codecs.ts';
import { AUTOMATIC, type Engine, type MakeEngine, type Quality } from '../../player/engine.ts';
import { preferQuality, preferredAmong } from '../../player/quality-preference.ts';
import { createRecovery, type Trouble } from '../../player/recovery.ts';
import { type Autoplay, rememberVolume, startPlaying } from '../../player/sound.ts';
import type { Phase } from '../../player/state.ts';

const WATCH_INTERVAL_MS = 1_000;
/** The very end cannot be shown, only be come to. */
const BEFORE_END_SECONDS = 0.5;

/** Some like it slower, many faster. */
export const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 2] as const;

export interface ReplayOptions {
  video: HTMLVideoElement;
  makeEngine: MakeEngine;
  /** Its address on this server. */
  playlist: string;
  /** Seconds. */
  startAt: number;
  /** As the server says it, until the browser knows. */
  duration: number;
  autoplay: Autoplay;
  startMuted: boolean;
  /** Several tries were in vain: the video may be gone. */
  onFailed: () => void;
}

export interface Replay {
  phase: Accessor<Phase>;
  paused: Accessor<boolean>;
  stalled: Accessor<boolean>;
  /** Seconds from the beginning: where somebody is, also while that is still fetched. */
  position: Accessor<number>;
  duration: Accessor<number>;
  /** Up to where it has arrived, from the position on. */
  buffered: Accessor<number>;
  qualities: Accessor<Quality[]>;
  quality: Accessor<number>;
  shownQuality: Accessor<number>;
  speed: Accessor<number>;
  soundBlocked: Accessor<boolean>;
  needsPress: Accessor<boolean>;
  unplayable: Accessor<UnplayableCodec | undefined>;
  seek: (seconds: number) => void;
  skip: (seconds: number) => void;
  chooseQuality: (id: number) => void;
  chooseSpeed: (speed: number) => void;
  unmute: () => void;
  press: () => void;
  restart: () => void;
  destroy: () => void;
}

export function createReplay(options: ReplayOptions): Replay {
  const { video } = options;
  const [phase, setPhase] = createSignal<Phase>('starting');
  const [paused, setPaused] = createSignal(true);
  const [stalled, setStalled] = createSignal(false);
  const [position, setPosition] = createSignal(options.startAt);
  const [duration, setDuration] = createSignal(options.duration);
  const [buffered, setBuffered] = createSignal(0);
  const [qualities, setQualities] = createSignal<Quality[]>([]);
  const [quality, setQuality] = createSignal(AUTOMATIC);
  const [shownQuality, setShownQuality] = createSignal(AUTOMATIC);
  const [speed, setSpeed] = createSignal(1);
  const [soundBlocked, setSoundBlocked] = createSignal(false);
  const [needsPress, setNeedsPress] = createSignal(options.autoplay === 'off');
  const [unplayable, setUnplayable] = createSignal<UnplayableCodec>();

  const recovery = createRecovery(() => performance.now());
  let engine: Engine | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let wantsToPlay = options.autoplay !== 'off';
  /** Where somebody wants to be, until they are: the browser says where it is coming from meanwhile. */
  let wanted = options.startAt > 0 ? options.startAt : undefined;

  const choose = (id: number) => {
    setQuality(id);
    engine?.setQuality(id);
  };

  const onQualities = (found: Quality[]) => {
    setQualities(found);
    const preferred = quality() === AUTOMATIC ? preferredAmong(found) : undefined;
    if (preferred) choose(preferred.id);
  };

  /** From where somebody is: a new engine is no reason to begin anew. */
  const build = () => {
    clearTimeout(retry);
    engine?.destroy();
    setQuality(AUTOMATIC);
    wanted = position() || undefined;
    engine = options.makeEngine(video, {
      lowLatency: false,
      source: options.playlist,
      // Also zero: what has key frames far apart would otherwise be begun as if it were live, at its end.
      begin: position,
      onTrouble,
      onQualities,
      onUnplayable: setUnplayable,
      onPlayable: () => {},
    });
  };

  const onTrouble = (trouble: Trouble) => {
    const remedy = recovery.next(trouble);
    if (remedy.worthTelling) {
      setPhase(trouble === 'codec' ? 'unplayable' : 'failed');
      options.onFailed();
    }
    clearTimeout(retry);
    // What this browser cannot play now it never can: nothing new is listed in what is over.
    if (remedy.worthTelling && trouble === 'codec') return;
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

  const look = () => {
    if (wanted === undefined && video.readyState >= HTMLMediaElement.HAVE_METADATA) setPosition(video.currentTime);
    if (Number.isFinite(video.duration)) setDuration(video.duration);
    const ranges = Array.from({ length: video.buffered.length }, (_, at) => at);
    const here = ranges.find(
      (at) => video.buffered.start(at) <= video.currentTime && video.currentTime <= video.buffered.end(at),
    );
    setBuffered(here === undefined ? position() : video.buffered.end(here));
    setShownQuality(engine?.shownQuality() ?? AUTOMATIC);
    setStalled(!video.paused && !video.ended && video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA);
  };

  const listeners: Partial<Record<keyof HTMLMediaElementEventMap, () => void>> = {
    canplay: () => void start(),
    loadedmetadata: () => {
      video.playbackRate = speed();
      // Not every engine begins where it is told to.
      if (wanted !== undefined) engine?.seek(wanted);
      look();
    },
    durationchange: look,
    timeupdate: look,
    progress: look,
    seeking: () => {
      if (phase() === 'ended') setPhase('running');
      look();
    },
    seeked: () => {
      wanted = undefined;
      look();
    },
    waiting: () => setStalled(true),
    play: () => {
      wantsToPlay = true;
      setPaused(false);
      setNeedsPress(false);
      if (!engine) build();
    },
    pause: () => {
      setPaused(true);
      if (!video.ended) wantsToPlay = false;
    },
    playing: () => {
      wanted = undefined;
      setPhase('running');
      setStalled(false);
      recovery.healthy();
    },
    emptied: () => setPaused(video.paused),
    ended: () => {
      setPhase('ended');
      look();
    },
    volumechange: () => {
      if (!video.muted) setSoundBlocked(false);
    },
    ratechange: () => setSpeed(video.playbackRate),
  };

  const seek = (seconds: number) => {
    const target = Math.min(Math.max(seconds, 0), Math.max(duration() - BEFORE_END_SECONDS, 0));
    // At once, so that everything beside the picture goes along while it is fetched.
    setPosition(target);
    wanted = target;
    // What has no beginning yet begins there.
    if (video.readyState >= HTMLMediaElement.HAVE_METADATA) engine?.seek(target);
  };

  video.muted = options.startMuted;
  const forgetVolume = rememberVolume(video);
  for (const [name, listener] of Object.entries(listeners)) video.addEventListener(name, listener);
  const watcher = setInterval(look, WATCH_INTERVAL_MS);
  if (wantsToPlay) build();

  const play = () => {
    wantsToPlay = true;
    setNeedsPress(false);
    if (engine) void start();
    else build();
  };

  return {
    phase,
    paused,
    stalled,
    position,
    duration,
    buffered,
    qualities,
    quality,
    shownQuality,
    speed,
    soundBlocked,
    needsPress,
    unplayable,
    seek,
    skip: (seconds) => seek(position() + seconds),
    chooseQuality: (id) => {
      preferQuality(qualities().find((one) => one.id === id));
      choose(id);
    },
    chooseSpeed: (next) => {
      setSpeed(next);
      video.playbackRate = next;
    },
    unmute: () => {
      video.muted = false;
      if (video.volume === 0) video.volume = 1;
      setSoundBlocked(false);
    },
    press: play,
    restart: () => {
      if (phase() === 'ended') {
        seek(0);
        play();
        return;
      }
      setPhase('starting');
      wantsToPlay = true;
      build();
    },
    destroy: () => {
      clearTimeout(retry);
      clearInterval(watcher);
      forgetVolume();
      for (const [name, listener] of Object.entries(listeners)) video.removeEventListener(name, listener);
      engine?.destroy();
    },
  };
}

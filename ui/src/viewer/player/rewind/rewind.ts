/**
 * Going back further than the live list reaches: another list, with the last minutes or hours of the stream. It is
 * fetched only when somebody wants to see something that old; until then they watch the live list, as close to live as
 * everybody. From there on they stay in it, also when they are back at live: its end has the same parts.
 */
import { type Accessor, createSignal } from 'solid-js';
import type { Playback, Source } from '../playback.ts';
import { dateAt, firstDate, placeOf } from './dates.ts';

export const REWIND_PLAYLIST = '/hls/rewind.m3u8';

const LOOK_INTERVAL_MS = 500;
/** What stands this close to the beginning of a list may have left it when it is asked for. */
const OLD_MS = 3_000;
/** Closer to the newest picture than this is live. */
const LIVE_MS = 3_000;
const LIVE_SECONDS = 4;
/** A stream that has just begun has nothing yet; the disk may have room again. */
const ASK_AGAIN_MS = 60_000;

/** Dates in milliseconds since 1970. */
export interface Reach {
  oldest: number;
  newest: number;
  /** What is on the screen, or will be as soon as it has arrived. */
  shown: number;
  isLive: boolean;
}

export interface RewindOptions {
  video: HTMLVideoElement;
  playback: Pick<Playback, 'timeline' | 'behind' | 'seek' | 'seekToLive' | 'playFrom' | 'source' | 'setPast'>;
  minutes: () => number;
  /** When the stream began. */
  since: () => string | null;
}

export interface Rewind {
  /** Undefined until there is something to go back in. */
  reach: Accessor<Reach | undefined>;
  /** The server has nothing older after all, or not yet. */
  refused: Accessor<boolean>;
  goTo: (date: number) => void;
  skip: (seconds: number) => boolean;
  toLive: () => void;
  destroy: () => void;
}

export function createRewind({ video, playback, minutes, since }: RewindOptions): Rewind {
  const [reach, setReach] = createSignal<Reach>();
  const [refused, setRefused] = createSignal(false);
  /** Where somebody wants to be, until they are. */
  let wanted: number | undefined;
  /** Where a list that is asked for anew has to begin. */
  let target = 0;
  let pausedDate: number | undefined;
  let askAgain: ReturnType<typeof setTimeout> | undefined;

  const begin: Source['begin'] = (list) => placeOf(list, target);

  const look = () => {
    const list = playback.timeline();
    const [newest, first] = [list && dateAt(list, list.edge), list && firstDate(list)];
    const shown = wanted ?? (list && dateAt(list, video.currentTime));
    if (newest === undefined || first === undefined || shown === undefined) return;
    const began = Date.parse(since() ?? '') || 0;
    const oldest = playback.source() ? first : Math.min(Math.max(newest - minutes() * 60_000, began), first);
    if (wanted === undefined) target = shown;
    setReach({ oldest, newest, shown, isLive: wanted === undefined && playback.behind() < LIVE_SECONDS });
  };

  const toLive = () => {
    wanted = undefined;
    playback.seekToLive();
    look();
  };

  const goTo = (date: number) => {
    const now = reach();
    if (!now || refused()) return;
    if (date > now.newest - LIVE_MS) return toLive();
    const list = playback.timeline();
    wanted = Math.max(date, now.oldest + OLD_MS);
    target = wanted;
    // Also while there is no list to look at, so that the next skip begins there.
    setReach({ ...now, shown: wanted, isLive: false });
    if (video.paused) pausedDate = wanted;
    if (!playback.source() && wanted < ((list && firstDate(list)) ?? now.newest) + OLD_MS) {
      playback.playFrom({ playlist: REWIND_PLAYLIST, begin });
    } else {
      const place = list && placeOf(list, wanted);
      if (place !== undefined) playback.seek(place);
    }
  };

  const skip = (seconds: number) => {
    const from = reach()?.shown;
    if (from === undefined || refused()) return false;
    if (seconds > 0 && wanted === undefined && playback.behind() <= seconds) toLive();
    else goTo(from + seconds * 1000);
    return true;
  };

  const resume = () => {
    look();
    const list = playback.timeline();
    const first = list && firstDate(list);
    if (first === undefined || pausedDate === undefined || refused()) return false;
    if (pausedDate < first + OLD_MS) goTo(pausedDate);
    return true;
  };

  const onPause = () => {
    look();
    pausedDate = reach()?.shown;
  };
  /** Both, because a list that is begun at its very beginning is not searched in. */
  const onThere = () => {
    if (video.seeking || !playback.timeline()) return;
    wanted = undefined;
    look();
  };
  const listeners = { pause: onPause, seeked: onThere, canplay: onThere, timeupdate: look };
  for (const [name, listener] of Object.entries(listeners)) video.addEventListener(name, listener);
  const timer = setInterval(look, LOOK_INTERVAL_MS);
  playback.setPast({
    resume,
    skip,
    onRefused: () => {
      wanted = undefined;
      setRefused(true);
      askAgain = setTimeout(() => setRefused(false), ASK_AGAIN_MS);
    },
  });
  look();

  return {
    reach,
    refused,
    goTo,
    skip,
    toLive,
    destroy: () => {
      clearInterval(timer);
      clearTimeout(askAgain);
      for (const [name, listener] of Object.entries(listeners)) video.removeEventListener(name, listener);
      playback.setPast(undefined);
    },
  };
}

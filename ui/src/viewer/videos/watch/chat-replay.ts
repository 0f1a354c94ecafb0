/**
 * What was said, in time with the picture. Fetched around the place where somebody is, a little ahead of it; shown up
 * to that place, as the room looked then. It knows no DOM.
 */
import { createEffect, createSignal, onCleanup, untrack } from 'solid-js';
import { LineLog, lineFrom } from '../../chat/lines.ts';
import type { ReplayedChat, ReplayedMessage } from '../wire.ts';

/** What came before the place where somebody begins, so that the room is not empty there. */
const BEFORE_SECONDS = 60;
const AHEAD_SECONDS = 60;
/** More is fetched when less than this is left. */
const LOW_SECONDS = 25;
/** Fewer than these, and it is looked further back. */
const FEWEST = 15;
/** How much further each time: rooms may be quiet for hours. */
const FURTHER = 4;
/** A room in which this much is said at once cannot be read anyway. */
const MOST_PAGES = 20;
const TRY_AGAIN_MS = 3_000;
const LONGEST_WAIT_MS = 30_000;

export type AskChat = (from: number, to: number, after: string | undefined) => Promise<ReplayedChat>;

/** All of a stretch, page by page. */
async function stretch(ask: AskChat, from: number, to: number): Promise<ReplayedMessage[]> {
  const messages: ReplayedMessage[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await ask(from, to, after);
    messages.push(...answer.messages);
    if (!answer.next) break;
    after = answer.next;
  }
  return messages;
}

export interface ChatReplayOptions {
  ask: AskChat;
  position: () => number;
  duration: () => number;
}

export function createChatReplay(options: ChatReplayOptions) {
  const [version, setVersion] = createSignal(0);
  const [state, setState] = createSignal<'loading' | 'ready' | 'failed'>('loading');
  /** Goes up when somebody went to another place: what is shown is not what was there before. */
  const [place, setPlace] = createSignal(0);

  let log = new LineLog();
  /** In order of time, each once. */
  let messages: ReplayedMessage[] = [];
  const times = new Map<string, number>();
  /** The stretch that is there, in whole seconds; nothing yet where it is empty. */
  let loaded = { from: 0, to: 0 };
  /** How many of `messages` are in the log. */
  let shown = 0;
  let shownAt = 0;
  let isAsking = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Another place: answers for the one before are not wanted. */
  let visit = 0;
  let isGone = false;

  const take = (more: ReplayedMessage[]) => {
    const unknown = more.filter(({ id }) => !times.has(id));
    for (const { id, at } of unknown) times.set(id, at);
    messages = [...messages, ...unknown].sort((one, other) => one.at - other.at);
    return unknown;
  };

  const linesOf = (some: readonly ReplayedMessage[]) => some.flatMap((one) => lineFrom(one, 0) ?? []);

  /** Brings the log to the place. */
  const show = (at: number) => {
    const isBack = at < shownAt;
    if (isBack) {
      log = new LineLog();
      shown = 0;
      setPlace((count) => count + 1);
    }
    shownAt = at;
    const from = shown;
    while ((messages[shown]?.at ?? Number.POSITIVE_INFINITY) <= at) shown += 1;
    if (shown > from) log.append(linesOf(messages.slice(from, shown)));
    if (shown > from || isBack) setVersion((count) => count + 1);
  };

  const leave = () => {
    visit += 1;
    isAsking = false;
    failures = 0;
    clearTimeout(timer);
    messages = [];
    times.clear();
    log = new LineLog();
    shown = 0;
    shownAt = 0;
    loaded = { from: 0, to: 0 };
    setPlace((count) => count + 1);
    setVersion((count) => count + 1);
    setState('loading');
  };

  const end = () => Math.ceil(options.duration());
  /** What comes right behind it is on its way. */
  const isNear = (at: number) => at >= loaded.from && at <= loaded.to + AHEAD_SECONDS;

  /** The stretch that is missing most; undefined where all is well. */
  const missing = (at: number): [number, number] | undefined => {
    if (loaded.to === 0) {
      const from = Math.max(Math.floor(at) - BEFORE_SECONDS, 0);
      return [from, Math.min(Math.ceil(at) + AHEAD_SECONDS, Math.max(end(), from + 1))];
    }
    if (loaded.to - at < LOW_SECONDS && loaded.to < end())
      return [loaded.to, Math.min(loaded.to + AHEAD_SECONDS, end())];
    const before = messages.findLastIndex((one) => one.at <= at) + 1;
    if (before < FEWEST && loaded.from > 0) return earlierStretch();
    return undefined;
  };

  const earlierStretch = (): [number, number] => {
    const length = Math.max((loaded.to - loaded.from) * (FURTHER - 1), BEFORE_SECONDS);
    return [Math.max(loaded.from - length, 0), loaded.from];
  };

  const fetchStretch = async ([from, to]: [number, number]): Promise<boolean> => {
    isAsking = true;
    const mine = visit;
    const more = await stretch(options.ask, from, to).catch(() => undefined);
    if (isGone || mine !== visit) return false;
    isAsking = false;
    if (!more) {
      failures += 1;
      setState('failed');
      const wait = Math.min(TRY_AGAIN_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
      timer = setTimeout(() => fill(untrack(options.position)), wait);
      return false;
    }
    failures = 0;
    const isEarlier = loaded.to > 0 && to <= loaded.from;
    const unknown = take(more);
    loaded = loaded.to === 0 ? { from, to } : { from: Math.min(loaded.from, from), to: Math.max(loaded.to, to) };
    setState('ready');
    if (isEarlier) {
      // In their places among what is shown, which stays where it is.
      const older = unknown.filter(({ at }) => at <= shownAt);
      log.merge(linesOf(older));
      shown += older.length;
      setVersion((count) => count + 1);
    }
    return true;
  };

  const fill = (at: number) => {
    clearTimeout(timer);
    if (isAsking || isGone) return;
    const next = missing(at);
    if (!next) return;
    void fetchStretch(next).then((came) => {
      if (!came) return;
      const now = untrack(options.position);
      follow(now);
    });
  };

  const follow = (at: number) => {
    if (loaded.to > 0 && !isNear(at)) leave();
    if (loaded.to > 0) show(at);
    // While it fails it is tried again in its own time.
    if (failures === 0) fill(at);
  };

  createEffect(() => {
    const at = options.position();
    untrack(() => follow(at));
  });
  onCleanup(() => {
    isGone = true;
    clearTimeout(timer);
  });

  return {
    version,
    state,
    place,
    get log() {
      return log;
    },
    /** When a line was written, in seconds of the video. */
    timeOf: (id: string) => times.get(id),
    /** Whether something may have been said before what is there. */
    hasEarlier: () => loaded.from > 0,
    /** Somebody reads on backwards. */
    earlier: () => {
      if (!isAsking && loaded.from > 0 && failures === 0) void fetchStretch(earlierStretch());
    },
    retry: () => {
      failures = 0;
      setState(loaded.to > 0 ? 'ready' : 'loading');
      fill(untrack(options.position));
    },
  };
}

export type ChatReplay = ReturnType<typeof createChatReplay>;

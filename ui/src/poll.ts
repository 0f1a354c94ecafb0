/** Asks again and again, politely: slower after failures, not at all while nobody looks. */
import { onCleanup } from 'solid-js';

export interface PollOptions<T> {
  ask: () => Promise<T>;
  onAnswer: (answer: T) => void;
  /** Told whether the last try failed. */
  onTrouble: (failing: boolean) => void;
  /** Looked at after every answer. */
  intervalMs: number | (() => number);
  /** Ask at once instead of after one interval. */
  immediately?: boolean;
  /** How long it may wait after failures; a minute unless told otherwise. */
  longestWaitMs?: number;
}

/** A minute: long enough to leave a struggling server alone, short enough to notice its return. */
const MAX_WAIT_MS = 60_000;

/** Doubles with every failure in a row. */
export function waitAfter(failures: number, intervalMs: number, longestMs = MAX_WAIT_MS): number {
  return Math.min(intervalMs * 2 ** failures, longestMs);
}

/** Starts polling and returns the function that stops it. */
export function startPolling<T>(options: PollOptions<T>): () => void {
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = false;
  let stopped = false;

  const schedule = () => {
    clearTimeout(timer);
    if (stopped || document.hidden) return;
    const interval = typeof options.intervalMs === 'number' ? options.intervalMs : options.intervalMs();
    timer = setTimeout(ask, waitAfter(failures, interval, options.longestWaitMs));
  };

  const ask = async () => {
    if (asking || stopped) return;
    asking = true;
    try {
      const answer = await options.ask();
      failures = 0;
      if (!stopped) {
        options.onTrouble(false);
        options.onAnswer(answer);
      }
    } catch {
      failures += 1;
      if (!stopped) options.onTrouble(true);
    } finally {
      asking = false;
      schedule();
    }
  };

  const onVisibility = () => {
    if (document.hidden) clearTimeout(timer);
    // What is on the page may be hours old.
    else void ask();
  };

  document.addEventListener('visibilitychange', onVisibility);
  if (options.immediately) void ask();
  else schedule();

  return () => {
    stopped = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisibility);
  };
}

/** The same, for as long as the component lives. */
export function usePolling<T>(options: PollOptions<T>): void {
  onCleanup(startPolling(options));
}

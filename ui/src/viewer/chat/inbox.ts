/** Collects what arrives and hands it over once per picture, so that a busy room costs one update and not fifty. */

/** Hidden pages get no pictures. */
const HIDDEN_MS = 500;

export interface Inbox<T> {
  push(items: readonly T[]): void;
  stop(): void;
}

export function createInbox<T>(deliver: (items: T[]) => void): Inbox<T> {
  let waiting: T[] = [];
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const stop = () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = undefined;
    timer = undefined;
  };
  const flush = () => {
    stop();
    const items = waiting;
    waiting = [];
    deliver(items);
  };
  return {
    push: (items) => {
      waiting.push(...items);
      if (waiting.length === 0 || timer !== undefined) return;
      // The timer also covers a page that is hidden before its next picture.
      timer = setTimeout(flush, HIDDEN_MS);
      if (!document.hidden) frame = requestAnimationFrame(flush);
    },
    stop,
  };
}

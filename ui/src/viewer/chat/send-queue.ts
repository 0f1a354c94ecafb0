/**
 * The server mutes whoever sends two frames within two thirds of a second, as it sees them arrive. People do that: a
 * name and a colour saved at once, a quick second line. So the second one waits here for its turn.
 *
 * A slow network hands over both at once however far apart they were sent. Only an answer tells that the first has
 * arrived: the time is counted from there.
 */

/** A little more than the server asks for. */
const INTERVAL_MS = 800;
/** Not everything is answered. */
const ANSWER_MS = 3_000;

export interface SendQueue {
  /** Resolves when the next frame may be sent; calls are served in their order. */
  turn(): Promise<void>;
  /** The server has answered the last frame. */
  answered(): void;
}

export function createSendQueue(now: () => number = Date.now): SendQueue {
  /** When the next may go, once the last was answered; and when it may go without an answer. */
  let next = 0;
  let awaited = 0;
  let wake = () => {};
  let queue = Promise.resolve();

  const free = async () => {
    for (;;) {
      const wait = Math.max(next, awaited) - now();
      if (wait <= 0) break;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, wait);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    next = now() + INTERVAL_MS;
    awaited = now() + ANSWER_MS;
  };

  return {
    turn: () => (queue = queue.then(free)),
    answered: () => {
      if (awaited === 0) return;
      awaited = 0;
      next = now() + INTERVAL_MS;
      wake();
    },
  };
}

/**
 * The server mutes whoever sends two frames within two thirds of a second. People do that: a name and a colour saved at
 * once, a quick second line. So the second one waits here for its turn.
 */

/** A little more than the server asks for, because frames may arrive closer together than they were sent. */
const INTERVAL_MS = 800;

/** Resolves when the next frame may be sent; calls are served in their order. */
export function createPace(now: () => number = Date.now): () => Promise<void> {
  let next = 0;
  return () => {
    const wait = Math.max(next - now(), 0);
    next = now() + wait + INTERVAL_MS;
    return wait > 0 ? new Promise((resolve) => setTimeout(resolve, wait)) : Promise.resolve();
  };
}

/** Time that goes on between two answers of the server. */
import { type Accessor, createMemo, createSignal, onCleanup } from 'solid-js';

const TICK_MS = 1_000;

/**
 * The server's clock, ticking once a second. It is set by every answer, so that a wrong clock on this side
 * never shows.
 */
export function createServerClock(serverTime: Accessor<string>): Accessor<string> {
  const [tick, setTick] = createSignal(0);
  const timer = setInterval(() => setTick((count) => count + 1), TICK_MS);
  onCleanup(() => clearInterval(timer));

  // By value: the same time reported again is an old answer, not a clock that stands still.
  const reported = createMemo(serverTime);
  const set = createMemo(() => ({ server: Date.parse(reported()), here: performance.now() }));
  return () => {
    tick();
    const { server, here } = set();
    return new Date(server + performance.now() - here).toISOString();
  };
}

/** The seconds until one may speak again. */
import { type Accessor, createSignal, onCleanup } from 'solid-js';

const TICK_MS = 1_000;

export interface SlowMode {
  /** Zero when one may. */
  seconds: Accessor<number>;
  start(seconds: number): void;
}

export function createSlowMode(): SlowMode {
  const [seconds, setSeconds] = createSignal(0);
  let until = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = () => clearInterval(timer);
  onCleanup(stop);

  // From the clock and not by counting: hidden pages are ticked late.
  const tick = () => {
    const left = Math.max(Math.ceil((until - Date.now()) / 1000), 0);
    setSeconds(left);
    if (left === 0) stop();
  };
  return {
    seconds,
    start: (wait) => {
      stop();
      if (wait <= 0) return;
      until = Date.now() + wait * 1000;
      timer = setInterval(tick, TICK_MS);
      tick();
    },
  };
}

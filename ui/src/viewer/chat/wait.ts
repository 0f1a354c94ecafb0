/** The seconds until one may write again, because of a moderator's timeout, of slow mode or of having been too fast. */
import { type Accessor, createSignal, onCleanup } from 'solid-js';

const TICK_MS = 1_000;

export type WaitReason = 'muted' | 'slow-mode' | 'flood';

export interface Wait {
  /** Zero when one may. The longest of them counts. */
  seconds: Accessor<number>;
  isMuted: Accessor<boolean>;
  /** Begins anew when it runs already; zero seconds end it. */
  start(reason: WaitReason, seconds: number): void;
}

/** `onUnmuted` is called when a timeout has run out, not when it is ended by `start`. */
export function createWait(onUnmuted: () => void): Wait {
  const [seconds, setSeconds] = createSignal(0);
  const [isMuted, setMuted] = createSignal(false);
  const until: Record<WaitReason, number> = { muted: 0, 'slow-mode': 0, flood: 0 };
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  onCleanup(stop);

  // From the clock and not by counting: hidden pages are ticked late.
  const leftOf = (reason: WaitReason) => Math.max(Math.ceil((until[reason] - Date.now()) / 1000), 0);
  const update = () => {
    const left = Math.max(leftOf('muted'), leftOf('slow-mode'), leftOf('flood'));
    setSeconds(left);
    setMuted(leftOf('muted') > 0);
    if (left === 0) stop();
    else timer ??= setInterval(tick, TICK_MS);
  };
  const tick = () => {
    const wasMuted = isMuted();
    update();
    if (wasMuted && !isMuted()) onUnmuted();
  };
  return {
    seconds,
    isMuted,
    start: (reason, wait) => {
      until[reason] = wait > 0 ? Date.now() + wait * 1000 : 0;
      // From now on in whole seconds, so that none of them is skipped.
      stop();
      update();
    },
  };
}

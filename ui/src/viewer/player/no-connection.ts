/** While the device has no network: tries again every few seconds, and at once when it is back. */
import { type Accessor, createSignal, onCleanup } from 'solid-js';

const RETRY_SECONDS = 5;
const TICK_MS = 1_000;

/** The seconds until the next try; nothing while there is a network, as far as the browser knows. */
export function watchConnection(onRetry: () => void): Accessor<number | undefined> {
  const [seconds, setSeconds] = createSignal<number>();
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = () => {
    const left = (seconds() ?? RETRY_SECONDS) - 1;
    setSeconds(left > 0 ? left : RETRY_SECONDS);
    if (left <= 0) onRetry();
  };
  const onOffline = () => {
    clearInterval(timer);
    setSeconds(RETRY_SECONDS);
    timer = setInterval(tick, TICK_MS);
  };
  const onOnline = () => {
    clearInterval(timer);
    setSeconds(undefined);
    onRetry();
  };
  window.addEventListener('offline', onOffline);
  window.addEventListener('online', onOnline);
  onCleanup(() => {
    clearInterval(timer);
    window.removeEventListener('offline', onOffline);
    window.removeEventListener('online', onOnline);
  });
  if (!navigator.onLine) onOffline();
  return seconds;
}

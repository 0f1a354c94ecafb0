import { createSignal } from 'solid-js';
import { api } from '../api.ts';
import { usePolling } from '../poll.ts';
import type { LogLine } from '../wire.ts';

const LOG_INTERVAL_MS = 5_000;

/** Recent log lines, of the whole server unless told otherwise, kept fresh for as long as the component lives. */
export function useLogs(address: () => string = () => '/api/admin/logs') {
  const [lines, setLines] = createSignal<LogLine[]>();
  const [failing, setFailing] = createSignal(false);
  const ask = () => api.get<LogLine[]>(address());

  usePolling({ ask, onAnswer: setLines, onTrouble: setFailing, intervalMs: LOG_INTERVAL_MS, immediately: true });

  const retry = () => {
    setFailing(false);
    ask().then(setLines, () => setFailing(true));
  };
  return { lines, failing, retry };
}

import { createSignal } from 'solid-js';
import { api } from '../api.ts';
import { usePolling } from '../poll.ts';
import type { AdminStream } from '../wire.ts';

/** Somebody with OBS in the other window wants to see at once what a change there does. */
const STREAM_INTERVAL_MS = 2_000;

/** The stream as its operator sees it, kept fresh for as long as the component lives. */
export function useStream() {
  const [stream, setStream] = createSignal<AdminStream>();
  usePolling({
    ask: () => api.get<AdminStream>('/api/admin/stream'),
    onAnswer: setStream,
    // The layout already says when the server is out of reach.
    onTrouble: () => {},
    intervalMs: STREAM_INTERVAL_MS,
    longestWaitMs: 10_000,
    immediately: true,
  });
  return stream;
}

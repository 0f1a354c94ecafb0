/** Something of the server that is kept fresh for as long as the component lives. */
import { batch, createComputed, createMemo, createSignal, onCleanup, untrack } from 'solid-js';
import { createStore, reconcile, unwrap } from 'solid-js/store';
import { api } from '../api.ts';
import { startPolling } from '../poll.ts';

export interface PolledValue<T> {
  value: () => T | undefined;
  /** The same without watching every part of it: for going through long lists, once for each answer. */
  raw: () => T | undefined;
  /** When the value was true. */
  at: () => string;
  failing: () => boolean;
  /** Asks at once, as after a change made here. */
  refresh: () => Promise<void>;
}

export interface PolledOptions<T> {
  /** Entries keep their row on the page from one answer to the next; this tells which is which. */
  key?: string;
  /** Whether the server may have another answer without a change made here; if not, it is not asked again and again. */
  goesOn?: (value: T) => boolean;
}

export function createPolled<T extends object>(
  path: string,
  intervalMs: number,
  { key = 'id', goesOn = () => true }: PolledOptions<T> = {},
): PolledValue<T> {
  const [state, setState] = createStore<{ value?: T }>({});
  // Two answers within a millisecond are still two.
  const [at, setAt] = createSignal(new Date().toISOString(), { equals: false });
  const [failing, setFailing] = createSignal(false);
  let asked = 0;
  let shown = 0;

  const ask = async () => {
    asked += 1;
    const turn = asked;
    return { turn, answer: await api.get<T>(path) };
  };
  const show = ({ turn, answer }: { turn: number; answer: T }) => {
    // An answer that was asked for before a change would undo it on the page.
    if (turn < shown) return;
    shown = turn;
    batch(() => {
      setAt(new Date().toISOString());
      setState('value', reconcile(answer, { key }) as never);
    });
  };

  const isPolling = createMemo(() => state.value === undefined || goesOn(state.value));
  createComputed(() => {
    if (!isPolling()) return;
    const immediately = untrack(() => state.value === undefined);
    const options = { ask, onAnswer: show, onTrouble: setFailing, intervalMs, longestWaitMs: 20_000, immediately };
    onCleanup(untrack(() => startPolling(options)));
  });

  const refresh = async () => {
    try {
      show(await ask());
      setFailing(false);
    } catch {
      setFailing(true);
    }
  };
  const raw = () => {
    at();
    return unwrap(state).value;
  };
  return { value: () => state.value, raw, at, failing, refresh };
}

/** The little state machine behind a field that saves by itself. */
import { createSignal, onCleanup } from 'solid-js';

export type SaveState = 'idle' | 'saving' | 'saved' | 'error';

/** How long the tick stays: seen, then out of the way. */
const TICK_MS = 4_000;

export interface SaveOptions {
  /** The operator was warned of what this value does, and wants it. */
  confirmed?: boolean;
}

/** Rejects with an error whose message is for the operator. */
export type Write = (value: unknown, options?: SaveOptions) => Promise<void>;

export interface Saver {
  state: () => SaveState;
  error: () => string;
  save: Write;
}

export function createSaver(write: Write): Saver {
  const [state, setState] = createSignal<SaveState>('idle');
  const [error, setError] = createSignal('');
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Of two saves under way only the later one may report. */
  let latest = 0;
  onCleanup(() => clearTimeout(timer));

  const save: Write = async (...change) => {
    latest += 1;
    const mine = latest;
    clearTimeout(timer);
    setState('saving');
    setError('');
    try {
      await write(...change);
      if (mine !== latest) return;
      setState('saved');
      timer = setTimeout(() => setState('idle'), TICK_MS);
    } catch (problem) {
      if (mine !== latest) return;
      setError(problem instanceof Error ? problem.message : String(problem));
      setState('error');
    }
  };

  return { state, error, save };
}

/** The little state machine behind a field that saves by itself. */
import { createSignal, onCleanup } from 'solid-js';

export type SaveState = 'idle' | 'saving' | 'saved' | 'error';

/** How long the tick stays: seen, then out of the way. */
const TICK_MS = 4_000;

export interface Saver {
  state: () => SaveState;
  error: () => string;
  save: (value: unknown) => Promise<void>;
}

export function createSaver(write: (value: unknown) => Promise<void>): Saver {
  const [state, setState] = createSignal<SaveState>('idle');
  const [error, setError] = createSignal('');
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Of two saves under way only the later one may report. */
  let latest = 0;
  onCleanup(() => clearTimeout(timer));

  const save = async (value: unknown) => {
    latest += 1;
    const mine = latest;
    clearTimeout(timer);
    setState('saving');
    setError('');
    try {
      await write(value);
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

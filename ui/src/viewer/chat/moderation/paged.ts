/** A list that arrives in parts, each asked for with what is there already. */
import { createSignal } from 'solid-js';

export interface Part<T> {
  entries: T[];
  hasMore: boolean;
}

export function createPaged<T>(ask: (before: readonly T[]) => Promise<Part<T>>) {
  const [entries, setEntries] = createSignal<T[]>();
  const [hasMore, setHasMore] = createSignal(false);
  const [hasFailed, setFailed] = createSignal(false);
  const [isBusy, setBusy] = createSignal(false);

  const load = async (before: readonly T[]) => {
    if (isBusy()) return;
    setBusy(true);
    try {
      const part = await ask(before);
      setEntries([...before, ...part.entries]);
      setHasMore(part.hasMore);
      setFailed(false);
    } catch {
      setFailed(true);
    } finally {
      setBusy(false);
    }
  };
  void load([]);

  return {
    entries,
    hasMore,
    hasFailed,
    isBusy,
    more: () => void load(entries() ?? []),
    refresh: () => void load([]),
    remove: (isGone: (entry: T) => boolean) => setEntries((all) => all?.filter((entry) => !isGone(entry))),
  };
}

export type Paged<T> = ReturnType<typeof createPaged<T>>;

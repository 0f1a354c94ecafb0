/** Where the entries of a list come from: one answer, one that is asked for again and again, or a page of many. */
import { createResource, type ResourceReturn } from 'solid-js';
import { api } from '../../api.ts';
import type { PolledValue } from '../polled.ts';
import { explain } from '../session.ts';

export interface ListSource<Entry> {
  /** Undefined until there is an answer. */
  entries: () => Entry[] | undefined;
  /** Why it could not be loaded; empty when nobody knows. */
  failure: () => string | undefined;
  refresh: () => Promise<void>;
}

/** Asked for once, and again whenever `changes` has another value. */
export function createList<Entry>(path: string, changes: () => unknown = () => undefined): ListSource<Entry> {
  const resource = createResource(
    () => ({ changes: changes() }),
    () => api.get<Entry[]>(path),
  );
  return listOfResource(resource, (answer) => answer);
}

export function listOfResource<Answer, Entry>(
  [answer, { refetch }]: ResourceReturn<Answer>,
  entriesOf: (answer: Answer) => Entry[],
): ListSource<Entry> {
  return {
    entries: () => (answer.error || answer.latest === undefined ? undefined : entriesOf(answer.latest)),
    failure: () => (answer.error ? explain(answer.error) : undefined),
    refresh: async () => {
      await refetch();
    },
  };
}

export function listOfPolled<Answer, Entry>(
  polled: PolledValue<Answer>,
  entriesOf: (answer: Answer) => Entry[],
): ListSource<Entry> {
  return {
    entries: () => {
      const answer = polled.value();
      return answer && entriesOf(answer);
    },
    failure: () => (polled.failing() ? '' : undefined),
    refresh: polled.refresh,
  };
}

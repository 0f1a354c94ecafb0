/** A long list of the server, page by page. */
import { createResource, createSignal } from 'solid-js';
import { api } from '../../api.ts';
import { explain } from '../session.ts';
import type { Page } from './wire.ts';

export const PAGE_SIZE = 25;

export interface Paged<Entry> {
  entries: () => Entry[] | undefined;
  total: () => number;
  page: () => number;
  setPage: (page: number) => void;
  /** Why it could not be loaded. */
  failure: () => string | undefined;
  /** Asks again, and goes back a page when this one has become empty. */
  refresh: () => Promise<void>;
}

/** `path` may have a query already, and may change. */
export function createPaged<Entry>(path: () => string): Paged<Entry> {
  const [page, setPage] = createSignal(0);
  const [answer, { refetch }] = createResource(
    () => {
      const start = path();
      return `${start}${start.includes('?') ? '&' : '?'}offset=${page() * PAGE_SIZE}&limit=${PAGE_SIZE}`;
    },
    (address) => api.get<Page<Entry>>(address),
  );
  const latest = () => (answer.error ? undefined : answer.latest);
  const refresh = async () => {
    await refetch();
    if (latest()?.results.length === 0 && page() > 0) setPage(page() - 1);
  };
  return {
    entries: () => latest()?.results,
    total: () => latest()?.total ?? 0,
    page,
    setPage,
    failure: () => (answer.error ? explain(answer.error) : undefined),
    refresh,
  };
}

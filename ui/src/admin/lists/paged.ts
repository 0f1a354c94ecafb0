/** A long list of the server, page by page. */
import { createResource, createSignal } from 'solid-js';
import { api } from '../../api.ts';
import type { Page } from '../federation/wire.ts';
import { type ListSource, listOfResource } from './source.ts';

export const PAGE_SIZE = 25;

export interface PagedSource<Entry, Answer extends Page<Entry> = Page<Entry>> extends ListSource<Entry> {
  /** All that came with the entries. */
  answer: () => Answer | undefined;
  total: () => number;
  page: () => number;
  setPage: (page: number) => void;
}

/** `path` may have a query already, and may change. A refresh goes back a page when this one has become empty. */
export function createPaged<Entry, Answer extends Page<Entry> = Page<Entry>>(
  path: () => string,
): PagedSource<Entry, Answer> {
  const [page, setPage] = createSignal(0);
  const resource = createResource(
    () => {
      const start = path();
      return `${start}${start.includes('?') ? '&' : '?'}offset=${page() * PAGE_SIZE}&limit=${PAGE_SIZE}`;
    },
    (address) => api.get<Answer>(address),
  );
  const [answer] = resource;
  const list = listOfResource(resource, ({ results }) => results);
  const refresh = async () => {
    await list.refresh();
    if (list.entries()?.length === 0 && page() > 0) setPage(page() - 1);
  };
  return {
    ...list,
    refresh,
    answer: () => (answer.error ? undefined : answer.latest),
    total: () => (answer.error ? 0 : (answer.latest?.total ?? 0)),
    page,
    setPage,
  };
}

/** Questions to the list of everybody. */
import { type Accessor, createSignal, onCleanup } from 'solid-js';

export type UserStatus = 'all' | 'active' | 'bots';

export interface UserQuery {
  search: string;
  status: UserStatus;
  sort: 'asc' | 'desc';
  /** From 0. */
  page: number;
}

/** People on one page of the list. */
export const PAGE_SIZE = 25;

export function usersPath(query: UserQuery, limit = PAGE_SIZE): string {
  const params = new URLSearchParams({
    offset: String(query.page * limit),
    limit: String(limit),
    search: query.search.trim(),
    status: query.status,
    sort: query.sort,
  });
  return `/api/admin/users?${params}`;
}

/** Long enough not to ask for every letter. */
const TYPING_MS = 250;

/** Text that is taken over once nobody has typed for a moment. */
export function createTyped(onSettled: (text: string) => void): [Accessor<string>, (text: string) => void] {
  const [text, setText] = createSignal('');
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  return [
    text,
    (next) => {
      setText(next);
      clearTimeout(timer);
      timer = setTimeout(() => onSettled(next), TYPING_MS);
    },
  ];
}

/** What addresses of past streams ask for. Pure. */
import { VIDEOS_PATH } from './route.ts';

/** What the list shows. */
export interface Search {
  words: string;
  tag: string;
  /** Counted from one. */
  page: number;
}

export function searchOf(query: string): Search {
  const params = new URLSearchParams(query);
  const page = Number(params.get('page'));
  return {
    words: (params.get('q') ?? '').trim(),
    tag: (params.get('tag') ?? '').trim(),
    page: Number.isSafeInteger(page) && page > 1 ? page : 1,
  };
}

/** The address of that list; what is as usual is left out. */
export function searchAddress({ words, tag, page }: Search): string {
  const params = new URLSearchParams();
  if (words) params.set('q', words);
  if (tag) params.set('tag', tag);
  if (page > 1) params.set('page', String(page));
  const query = params.toString();
  return query ? `${VIDEOS_PATH}?${query}` : VIDEOS_PATH;
}

const CLOCK = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?$/;

/** Where to begin, as `t=90`, `t=1m30s` or `t=1h2m`; undefined where nothing of that kind is asked for. */
export function startOf(query: string): number | undefined {
  const text = new URLSearchParams(query).get('t') ?? '';
  const found = text ? CLOCK.exec(text) : null;
  if (!found) return undefined;
  const [hours, minutes, seconds] = found.slice(1).map((part) => Number(part ?? 0)) as [number, number, number];
  const start = hours * 3600 + minutes * 60 + seconds;
  return start > 0 && Number.isSafeInteger(start) ? start : undefined;
}

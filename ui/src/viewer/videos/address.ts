/** The addresses of the pages about past streams, and what is in them. Pure. */

export const VIDEOS_PATH = '/videos';
const EMBED_PATH = '/embed/video';

/** As the server makes them: sixteen digits, which nobody guesses. */
const ID = /^[0-9a-f]{16}$/;

export const videoPath = (id: string): string => `${VIDEOS_PATH}/${id}`;
export const videoFramePath = (id: string): string => `${EMBED_PATH}/${id}`;

const restOf = (pathname: string, base: string): string | undefined => {
  const path = pathname.replace(/\/+$/, '');
  if (path === base) return '';
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : undefined;
};

/** Which page it is; `id` is undefined where the address names no video that can be. */
export type VideosRoute = { page: 'list' } | { page: 'video'; id: string | undefined };

/** Undefined for every other page. */
export function videosRoute(pathname: string): VideosRoute | undefined {
  const rest = restOf(pathname, VIDEOS_PATH);
  if (rest === undefined) return undefined;
  return rest === '' ? { page: 'list' } : { page: 'video', id: ID.test(rest) ? rest : undefined };
}

/** The video in a frame; undefined for the frame of the stream. */
export function framedVideo(pathname: string): { id: string | undefined } | undefined {
  const rest = restOf(pathname, EMBED_PATH);
  return rest ? { id: ID.test(rest) ? rest : undefined } : undefined;
}

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

/** Which page about past streams an address means. Every page looks at its own; so this is all it has to know. Pure. */

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

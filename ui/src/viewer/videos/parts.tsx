/** The parts of the pages of past streams, each fetched by the page that shows it. */
import { lazyParts } from './lazy-parts.tsx';

export const WithLatest = lazyParts(() => import('./entry.ts'));
export const WithList = lazyParts(() => import('./list-entry.ts'));
export const WithVideo = lazyParts(() => import('./watch/entry.ts'));

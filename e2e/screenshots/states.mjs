// Every state there is a picture of.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adminDialogs } from './scenes/admin-dialogs.mjs';
import { adminPages } from './scenes/admin-pages.mjs';
import { chat } from './scenes/chat.mjs';
import { chatRefusals } from './scenes/chat-refusals.mjs';
import { firstRun } from './scenes/first-run.mjs';
import { frames } from './scenes/frames.mjs';
import { moderation } from './scenes/moderation.mjs';
import { plain } from './scenes/plain.mjs';
import { videos } from './scenes/videos.mjs';
import { viewer } from './scenes/viewer.mjs';

const ROUTES = join(fileURLToPath(import.meta.url), '..', '..', '..', 'ui', 'src', 'admin', 'routes.tsx');

/** The routes of the operator's menu, from where the pages have them: a new page has its pictures by itself. */
export function menuRoutes() {
  const groups = readFileSync(ROUTES, 'utf8').split('const GROUPS')[1].split('const NOT_YET')[0];
  return [...groups.matchAll(/\bpage\('([^']*)'/g)].map(([, route]) => route);
}

/**
 * A state is `{ page, name, world, go }` and may have
 * - `isMain`: everybody opens it, so it is looked at in more ways;
 * - `only`: the devices it exists on;
 * - `options`: of the browser's context, `viewport` among them;
 * - `allow`: patterns of errors in the console that belong to it;
 * - `isWhole`: the picture shows the whole page and not only the window;
 * - `isNewcomer`: the chat has never seen the person in front of the page; all others are one person of each server.
 * `go` brings a page there: it gets `{ page, context, world, address, variant, isStacked }`.
 */
export const STATES = [
  ...viewer,
  ...chat,
  // What is done to them must not follow them.
  ...[...chatRefusals, ...moderation].map((state) => ({ ...state, isNewcomer: true })),
  ...videos,
  ...frames,
  ...plain,
  ...firstRun,
  ...adminPages(menuRoutes()),
  ...adminDialogs,
];

// A viewer in front of our own page: what the player says of itself, and whether pictures move.
import { eventually } from './eventually.mjs';

/** Loading, one segment, and a machine that is busy with others. */
const PLAY_DEADLINE_MS = 30_000;
/** Playback time that has to pass before pictures count as moving. */
const MOVING_SECONDS = 1;

/** Opens the page of a live server; it plays by itself, muted where the browser wants it so. */
export async function watch(page, server, path = '/') {
  await page.goto(server.http + path);
  await page.locator('#player').waitFor();
}

/** `{ state, latency, time, width, height }` of the player; undefined while there is none. */
export function playerOf(page) {
  return page.evaluate(() => {
    const player = document.querySelector('#player');
    const video = player?.querySelector('video');
    if (!video) return undefined;
    const { state, latency } = player.dataset;
    return { state, latency, time: video.currentTime, width: video.videoWidth, height: video.videoHeight };
  });
}

/** Waits until the player says that it plays and its time really passes; returns what it then says. */
export async function untilMoving(page, { seconds = MOVING_SECONDS, deadlineMs = PLAY_DEADLINE_MS } = {}) {
  let from;
  return eventually(
    async () => {
      const now = await playerOf(page);
      if (now?.state !== 'playing') throw new Error(`the player does not play: ${JSON.stringify(now)}`);
      // A new start and a jump to live set the time anew.
      if (from === undefined || now.time < from) from = now.time;
      if (now.time - from < seconds) throw new Error(`the picture stands still: ${JSON.stringify(now)}`);
      return now;
    },
    { deadlineMs },
  );
}

/** Waits until the player is in one of `states`. */
export function untilPlayer(page, ...states) {
  return eventually(
    async () => {
      const now = await playerOf(page);
      if (!states.includes(now?.state)) throw new Error(`the player is not ${states}: ${JSON.stringify(now)}`);
      return now;
    },
    { deadlineMs: PLAY_DEADLINE_MS },
  );
}

/** A mark that a reload would wipe off. */
export async function mark(page) {
  await page.evaluate(() => {
    window.isTheSamePage = true;
  });
}

export function isMarked(page) {
  return page.evaluate(() => window.isTheSamePage === true);
}

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

/** From choosing a quality until it is shown: one segment, on a machine that is busy with others. */
const SWITCH_DEADLINE_MS = 30_000;
/** Between a range that was loaded and the next, less than two frames: no player stops there. */
const SEAM_SECONDS = 0.05;
/** Everybody notices a picture that stands still for this long; much less may be a machine that is busy with others. */
const STANDSTILL_SECONDS = 5;
/** How often it is looked whether the picture moves. */
const LOOK_MS = 250;

/** Behind the first choice stands which one it is that is shown. */
const SHOWN = / \(.*\)$/;

/** Opens the menu of the player, which stays open; returns a function that says what it calls the qualities. */
export async function openMenu(page) {
  const player = page.locator('#player');
  await player.hover();
  await player.getByRole('button', { name: 'Settings', exact: true }).click();
  await player.locator('.player-menu').waitFor();
  return async () => {
    const [first, ...others] = await player.locator('.player-qualities label').allInnerTexts();
    return first === undefined ? [] : [first.replace(SHOWN, ''), ...others];
  };
}

/** Chooses a quality in the open menu, and waits until a picture of this height is shown and moves. */
export async function chooseQuality(page, name, height) {
  await page.locator('#player').getByRole('radio', { name, exact: true }).check();
  await page.waitForFunction((wanted) => document.querySelector('#player video')?.videoHeight === wanted, height, {
    timeout: SWITCH_DEADLINE_MS,
  });
  return untilMoving(page);
}

/**
 * From now on notes where playback leaves out what was never loaded, goes back, or stands still for seconds. Returns a
 * function that says where, once no hole lies ahead: who changes to another quality overwrites what is there already,
 * and the browser drops the rest of the old group of pictures at once, while the new one is still on its way. What is
 * filled before it is played is no hole, and a picture that stands still for a moment for lack of more is none either.
 *
 * A picture moves when both its time and its frames do: sound may go on without it. It stands still once it has moved.
 */
export async function watchHoles(page) {
  const limits = { seam: SEAM_SECONDS, standstill: STANDSTILL_SECONDS * 1000, pause: LOOK_MS };
  await page.evaluate(({ seam, standstill, pause }) => {
    const video = document.querySelector('#player video');
    const holes = () => {
      const { buffered } = video;
      const ends = Array.from({ length: Math.max(buffered.length - 1, 0) }, (_, at) => at);
      return ends
        .map((at) => ({ from: buffered.end(at), to: buffered.start(at + 1) }))
        .filter(({ from, to }) => to - from > seam);
    };
    const begin = video.currentTime;
    const passed = new Map();
    let last = begin;
    video.addEventListener('timeupdate', () => {
      const now = video.currentTime;
      for (const { from, to } of holes()) if (from >= begin && to <= now + seam) passed.set(from, { from, to });
      if (now < last - seam) passed.set(last, { wentBackFrom: last, to: now });
      last = now;
    });

    const shown = () => ({ time: video.currentTime, frames: video.getVideoPlaybackQuality().totalVideoFrames });
    let moved = shown();
    let hasMoved = false;
    let stood = 0;
    let looked = performance.now();
    const look = () => {
      const waited = performance.now() - looked;
      looked += waited;
      const now = shown();
      // Nobody decodes pictures for a tab in the background.
      if (now.time !== moved.time && (now.frames !== moved.frames || document.hidden)) {
        moved = now;
        hasMoved = true;
        stood = 0;
      } else if (hasMoved) {
        // Where the whole machine stands still nobody looks either, and that is not held against the picture.
        stood += Math.min(waited, 2 * pause);
        if (stood >= standstill) passed.set(`at ${moved.time}`, { stoodAt: moved.time, seconds: stood / 1000 });
      }
    };
    setInterval(look, pause);

    window.holes = () => {
      look();
      const ahead = holes().filter(({ to }) => to > video.currentTime);
      return { passed: [...passed.values()], ahead };
    };
  }, limits);
  return () =>
    eventually(
      async () => {
        const { passed, ahead } = await page.evaluate(() => window.holes());
        if (passed.length === 0 && ahead.length > 0) throw new Error(`not filled: ${JSON.stringify(ahead)}`);
        return passed;
      },
      { deadlineMs: SWITCH_DEADLINE_MS },
    );
}

// The watcher for holes in what is played, which other tests rely on: in front of a video that does as it is told, by a
// clock that does, too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './browser.mjs';
import { watchHoles } from './player-page.mjs';

const withPage = useBrowser();

/** Too short to be noticed, and as long as players take to give up. */
const MOMENT_MS = 3_000;
const LONG_MS = 20_000;

/** A page whose player has a video of thirty frames a second; `stopped` is what of it stands still at first. */
async function openPlayer(page, stopped) {
  await page.clock.install();
  await page.setContent('<div id="player"><video></video></div>');
  await page.evaluate((first) => {
    const video = document.querySelector('video');
    const now = { time: 10, frames: 300 };
    window.stopped = first;
    Object.defineProperty(video, 'currentTime', { get: () => now.time });
    video.getVideoPlaybackQuality = () => ({ totalVideoFrames: now.frames });
    setInterval(() => {
      if (!window.stopped.includes('time')) now.time += 0.1;
      if (!window.stopped.includes('frames')) now.frames += 3;
    }, 100);
  }, stopped);
}

/** Lets some of it stand still for this long, and everything move again for a moment. */
async function standStill(page, stopped, milliseconds) {
  const stop = (what) =>
    page.evaluate((names) => {
      window.stopped = names;
    }, what);
  await stop(stopped);
  await page.clock.runFor(milliseconds);
  await stop([]);
  await page.clock.runFor(MOMENT_MS);
}

for (const [how, stopped] of [
  ['as a whole', ['time', 'frames']],
  ['while its sound goes on', ['frames']],
  ['while more of it is decoded', ['time']],
]) {
  test(`a picture that stands still ${how} is noticed after seconds, and not after a moment`, async () => {
    await withPage({}, async (page) => {
      await openPlayer(page, []);
      const holes = await watchHoles(page);
      await page.clock.runFor(MOMENT_MS);
      assert.deepEqual(await holes(), []);
      await standStill(page, stopped, MOMENT_MS);
      assert.deepEqual(await holes(), []);
      await standStill(page, stopped, LONG_MS);
      const [{ seconds }, ...others] = await holes();
      assert.ok(seconds > 15 && seconds < 25, `it stood still for ${seconds} s`);
      assert.deepEqual(others, []);
    });
  });
}

test('a picture that has not moved yet does not stand still', async () => {
  await withPage({}, async (page) => {
    await openPlayer(page, ['time', 'frames']);
    const holes = await watchHoles(page);
    await page.clock.runFor(LONG_MS);
    assert.deepEqual(await holes(), []);
    await standStill(page, [], MOMENT_MS);
    assert.deepEqual(await holes(), []);
  });
});

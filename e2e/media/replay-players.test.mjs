// Players of others watch a recording: from any place in it, and to its end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from '../lib/browser.mjs';
import { eventually } from '../lib/eventually.mjs';
import { recorded } from '../lib/replays.mjs';
import { JUDGES, playWith, untilMoves } from '../lib/rewind-page.mjs';

const LENGTH_SECONDS = 40;
/** Back and forth, over more than is in the buffer. */
const PLACES = [0.9, 0.1, 0.5];
/** What a player shows before the place that is asked for, and plays until it is looked at. */
const CLOSE_SECONDS = 4;
const END_DEADLINE_MS = 20_000;

const withPage = useBrowser();

const go = (page, seconds) =>
  page.evaluate((wanted) => {
    window.video.currentTime = wanted;
  }, seconds);

for (const [name, judge] of Object.entries(JUDGES)) {
  test(`${name} plays a recording from any place in it, and to its end`, async (t) => {
    const { server, video } = await recorded(t, { loop: true, args: ['-t', String(LENGTH_SECONDS)] });
    await withPage({}, async (page) => {
      await playWith(page, server, judge, video.playlist);
      const length = await page.evaluate(() => window.video.duration);
      assert.ok(Math.abs(length - video.duration) < 0.5, `${length} s of ${video.duration} s`);
      for (const share of PLACES) {
        const place = share * length - CLOSE_SECONDS / 2;
        await go(page, place);
        await untilMoves(page);
        const time = await page.evaluate(() => window.video.currentTime);
        assert.ok(Math.abs(time - place) < CLOSE_SECONDS, `it plays at ${time} and not at ${place}`);
      }
      await go(page, length - 2);
      await eventually(() => page.evaluate(() => window.video.ended), { deadlineMs: END_DEADLINE_MS });
      const complaints = await page.evaluate(() => window.complaints);
      assert.deepEqual(
        complaints.filter((complaint) => /^(fatal|error)/.test(complaint)),
        [],
      );
    });
  });
}

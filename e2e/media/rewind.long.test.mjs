// Players of others go back in a live stream and come to live again, without standing still.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilState } from '../lib/broadcast.mjs';
import { useBrowser } from '../lib/browser.mjs';
import { untilPlaylist } from '../lib/hls.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { JUDGES, playWith, seekTo, stateOf, untilMoves } from '../lib/rewind-page.mjs';
import { serverFor } from '../lib/server.mjs';

const withPage = useBrowser();
const LIST = '/hls/0/rewind.m3u8';
/** Twice as many as the live list has; they are two seconds long. */
const SEGMENTS = 16;
const LONG_DEADLINE_MS = 90_000;
/** Everybody notices a picture that stands still for this long; less may be a machine that is busy with others. */
const STANDSTILL_SECONDS = 2;

for (const [name, judge] of Object.entries(JUDGES)) {
  test(`${name} goes back in the live stream and comes back to live without standing still`, async (t) => {
    const server = await serverFor(t, { args: ['--set', 'rewind_minutes=10', '--set', 'latency_level=0'] });
    publisherFor(t, server);
    await untilState(server, 'live');
    await untilPlaylist(server, ({ segments }) => segments.length >= SEGMENTS, {
      path: LIST,
      deadlineMs: LONG_DEADLINE_MS,
    });
    await withPage({}, async (page) => {
      await playWith(page, server, judge);
      const live = await stateOf(page);
      assert.ok(live.time > live.first + SEGMENTS, `it begins at ${live.time} and not at live`);
      assert.ok((await untilMoves(page, 3)) < STANDSTILL_SECONDS, 'it stood still at live');

      assert.ok((await seekTo(page, 'first', 8)) < STANDSTILL_SECONDS, 'it stood still far back');
      const back = await stateOf(page);
      assert.ok(back.time < live.time - SEGMENTS / 2, `it plays at ${back.time}, live was ${live.time}`);

      assert.ok((await seekTo(page, 'live', 6)) < STANDSTILL_SECONDS, 'it stood still when it was live again');
      const again = await stateOf(page);
      assert.ok(again.time > live.time, `it plays at ${again.time}, live was ${live.time} some time ago`);
      const fatal = again.complaints.filter((text) => /fatal|^error/.test(text));
      assert.deepEqual(fatal, []);
    });
  });
}

// A viewer whose network fails for some seconds is soon as close to live as before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilState } from '../lib/broadcast.mjs';
import { useBrowser } from '../lib/browser.mjs';
import { eventually } from '../lib/eventually.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor } from '../lib/server.mjs';
import { isMarked, mark, playerOf, untilMoving, untilPlayer, watch } from '../lib/player-page.mjs';

const withPage = useBrowser();
const OUTAGE_MS = 5_000;
/** From the return of the network. */
const BACK_MS = 15_000;
/** hls.js keeps half a second further away after a stall. */
const FURTHER_SECONDS = 1.5;
const CUT_OFF = [/Failed to load resource/, /ERR_INTERNET_DISCONNECTED/];

/** Returns a function that cuts the page off and connects it again. */
async function networkOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const unlimited = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
  return (offline) => session.send('Network.emulateNetworkConditions', { offline, ...unlimited });
}

const latencyOf = async (page) => Number((await playerOf(page)).latency);

test('after five seconds without a network the viewer is as close to live as before', async (t) => {
  const server = await serverFor(t);
  publisherFor(t, server);
  await untilState(server, 'live');
  await withPage({ allow: CUT_OFF }, async (page) => {
    await watch(page, server);
    await untilMoving(page, { seconds: 3 });
    await mark(page);
    const before = await latencyOf(page);

    const setOffline = await networkOf(page);
    const cutAt = Date.now();
    await setOffline(true);
    await untilPlayer(page, 'buffering');
    await eventually(() => Date.now() - cutAt >= OUTAGE_MS);
    await setOffline(false);

    const after = await eventually(
      async () => {
        const { state, latency } = await playerOf(page);
        if (state !== 'playing' || !(Number(latency) <= before + FURTHER_SECONDS))
          throw new Error(`the player is ${state}, ${latency} s behind live, before it was ${before} s`);
        return Number(latency);
      },
      { deadlineMs: BACK_MS },
    );
    await untilMoving(page, { seconds: 2 });
    assert.ok((await latencyOf(page)) <= before + FURTHER_SECONDS, `${before} s, ${after} s, and away again`);
    assert.ok(await isMarked(page), 'the page was loaded again');
  });
});

// Publishers and servers that die come back to the same broadcast, and viewers need not touch anything.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { PASSWORD, basicClient } from '../lib/admin.mjs';
import { countEvents, pastStreams, untilEvents, untilState } from '../lib/broadcast.mjs';
import { useBrowser } from '../lib/browser.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { untilPlaylist } from '../lib/hls.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor } from '../lib/server.mjs';
import { isMarked, mark, untilMoving, untilPlayer, watch } from '../lib/player-page.mjs';

const IS_LONG = process.env.RILLCAST_RING === 'all';
const LOSSES = IS_LONG ? 20 : 4;
const ADMIN = ['--admin-password', PASSWORD];
/** A playlist that stands still ends blocked requests with 503, and Chromium reports that. */
const NOTHING_NEW = /status of 503/;
/** The server is away. */
const UNREACHABLE = /Failed to load resource|ERR_CONNECTION_REFUSED/;

const withPage = useBrowser();

describe('what is lost comes back', { concurrency: 2 }, () => {
  test(`a publisher that is lost and returns ${LOSSES} times stays one broadcast`, async (t) => {
    const server = await serverFor(t, { args: ADMIN });
    let publisher = publisherFor(t, server);
    await untilState(server, 'live');
    await withPage({ allow: [NOTHING_NEW] }, async (page) => {
      await watch(page, server);
      await untilMoving(page);
      await mark(page);
      for (let loss = 1; loss <= LOSSES; loss += 1) {
        await publisher.kill();
        const { online } = await untilState(server, 'waiting');
        assert.ok(online, 'a broadcast that waits is not over');
        publisher = publisherFor(t, server);
        await untilState(server, 'live');
        await untilMoving(page).catch((error) => assert.fail(`after loss ${loss}: ${error.message}`));
      }
      assert.ok(await isMarked(page), 'the page was loaded again');
    });
    const streams = await pastStreams(basicClient(server));
    assert.equal(streams.length, 1);
    assert.equal(streams[0].endedAt, null);
    assert.equal(await countEvents(server, 'StreamStarted'), 1);
    assert.equal(await countEvents(server, 'StreamStopped'), 0);
    assert.equal((await untilPlaylist(server)).discontinuities, 0);
  });

  test('while a publisher is away the page shows that it waits, and plays again when it is back', async (t) => {
    const server = await serverFor(t);
    const publisher = publisherFor(t, server);
    await untilState(server, 'live');
    await withPage({ allow: [NOTHING_NEW] }, async (page) => {
      await watch(page, server);
      await untilMoving(page);
      await mark(page);
      await publisher.kill();
      await untilPlayer(page, 'waiting');
      await page.locator('#player .slate').waitFor();
      publisherFor(t, server);
      await untilMoving(page);
      await page.locator('#player .slate').waitFor({ state: 'detached' });
      assert.ok(await isMarked(page), 'the page was loaded again');
    });
  });

  test('a picture that changes its size on the way goes on playing', async (t) => {
    const server = await serverFor(t);
    const publisher = publisherFor(t, server, { clip: '360p' });
    await untilState(server, 'live');
    await withPage({ allow: [NOTHING_NEW] }, async (page) => {
      await watch(page, server);
      assert.equal((await untilMoving(page)).height, 360);
      await publisher.kill();
      await untilState(server, 'waiting');
      publisherFor(t, server, { clip: '1080p' });
      await page.waitForFunction(() => document.querySelector('#player video')?.videoHeight === 1080, undefined, {
        timeout: 30_000,
      });
      await untilMoving(page);
    });
  });

  test('a server that is killed and started again continues the broadcast', async (t) => {
    const dataDir = join(await scratchFolder(t), 'data');
    const first = await serverFor(t, { args: ADMIN, dataDir });
    let publisher = publisherFor(t, first);
    await untilState(first, 'live');
    await untilEvents(first, 'StreamStarted', 1);
    await withPage({ allow: [NOTHING_NEW, UNREACHABLE] }, async (page) => {
      await watch(page, first);
      await untilMoving(page);
      await mark(page);
      await first.kill();
      await publisher.kill();
      const second = await serverFor(t, { args: ADMIN, dataDir, listen: new URL(first.http).host });
      publisher = publisherFor(t, second);
      await untilState(second, 'live');
      await untilMoving(page);
      assert.ok(await isMarked(page), 'the page was loaded again');
      assert.equal((await pastStreams(basicClient(second))).length, 1);
      assert.equal(await countEvents(second, 'StreamStarted'), 1);
      await publisher.stop();
      await untilEvents(second, 'StreamStopped', 1);
    });
  });
});

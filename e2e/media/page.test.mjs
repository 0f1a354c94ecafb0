// The pages around a broadcast: its end, the frame for other sites, the operator's view, and the built-in stream.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PASSWORD, setUp } from '../lib/admin.mjs';
import { untilState } from '../lib/broadcast.mjs';
import { fitsWidth, UNAUTHORIZED, useBrowser } from '../lib/browser.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor } from '../lib/server.mjs';
import { isMarked, mark, untilMoving, watch } from '../lib/player-page.mjs';

/** The page plays what it still has before it says that it is over. */
const OVER_DEADLINE_MS = 30_000;

/** It asks every second, on a machine that is busy with others. */
const NOTICED_MS = 2_500;

const withPage = useBrowser();

describe('the pages around a broadcast', { concurrency: 3 }, () => {
  test('a page that waits for the stream begins to play, shows its end, and plays the next one', async (t) => {
    const server = await serverFor(t);
    await withPage({}, async (page) => {
      await page.goto(server.http);
      await page.locator('#offline-banner').waitFor();
      await mark(page);
      const publisher = publisherFor(t, server);
      await untilState(server, 'live');
      const liveAt = Date.now();
      await page.locator('#player').waitFor();
      const noticed = Date.now() - liveAt;
      assert.ok(noticed <= NOTICED_MS, `the page noticed the stream after ${noticed} ms`);
      await untilMoving(page);
      await page.locator('#header .state-tag').getByText('Live').waitFor();
      await publisher.stop();
      await page.locator('#offline-banner').waitFor({ timeout: OVER_DEADLINE_MS });
      assert.equal(await page.locator('#player').count(), 0);
      publisherFor(t, server);
      await untilMoving(page);
      assert.ok(await isMarked(page), 'the page was loaded again');
    });
  });

  test('the built-in stream plays without any publisher', async (t) => {
    const server = await serverFor(t, { args: ['demo'] });
    await untilState(server, 'live');
    const config = await (await fetch(`${server.http}/api/config`)).json();
    assert.equal(config.chatAwaitsSetup, undefined, 'its chat waits for no setup');
    assert.ok(server.setupUrl, 'it can still be set up');
    await withPage({}, async (page) => {
      await watch(page, server);
      const { width, height } = await untilMoving(page, { seconds: 3 });
      assert.ok(width > 0 && height > 0);
    });
  });

  test('the frame for other sites plays, and fills its window', async (t) => {
    const server = await serverFor(t);
    publisherFor(t, server);
    await untilState(server, 'live');
    await withPage({ viewport: { width: 480, height: 270 } }, async (page) => {
      await watch(page, server, '/embed/video');
      await untilMoving(page);
      const box = await page.locator('#player').boundingBox();
      assert.deepEqual([box.width, box.height], [480, 270]);
      assert.ok(await fitsWidth(page));
    });
  });

  test('a frame that must not start by itself starts when it is pressed', async (t) => {
    const server = await serverFor(t);
    publisherFor(t, server);
    await untilState(server, 'live');
    await withPage({}, async (page) => {
      await watch(page, server, '/embed/video?autoplay=off');
      await page.locator('#player[data-state=paused]').waitFor();
      await page.getByRole('button', { name: 'Play' }).first().click();
      await untilMoving(page);
    });
  });

  test('the operator sees what comes in, and ends it', async (t) => {
    const server = await serverFor(t);
    await setUp(server, { name: 'Brook Radio' });
    const publisher = publisherFor(t, server);
    await untilState(server, 'live');
    await withPage({ allow: [UNAUTHORIZED] }, async (page) => {
      await page.goto(`${server.http}/admin/`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText(/320 × 180,.* H\.264/).waitFor();
      await page.getByRole('button', { name: 'Disconnect' }).click();
      await page.getByRole('dialog').getByRole('button').last().click();
      await publisher.ended;
      await untilState(server, 'offline');
      await page.getByRole('button', { name: 'Disconnect' }).waitFor({ state: 'detached' });
    });
  });
});

// Going back in a live stream, in front of our own page: the seek bar, ten seconds back, keys, back to live, a break that
// is longer than the live list, and a server that keeps nothing.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setUp } from '../lib/admin.mjs';
import { untilState } from '../lib/broadcast.mjs';
import { shot, useBrowser, watchPolicy } from '../lib/browser.mjs';
import { eventually } from '../lib/eventually.mjs';
import { untilPlaylist } from '../lib/hls.mjs';
import { playerOf, untilMoving, watch, watchHoles } from '../lib/player-page.mjs';
import { publish } from '../lib/publisher.mjs';
import { startServer } from '../lib/server.mjs';

const withPage = useBrowser();
const DESKTOP = { width: 1280, height: 860 };
/** Longer than the live list, so that going to the oldest picture needs the other one. */
const KEPT_SECONDS = 40;
/** What the live list has at least. */
const LIST = '/hls/0/rewind.m3u8';
const LONG_DEADLINE_MS = 90_000;
/** From a press until it is told: once a second, on a machine that is busy with others. */
const TOLD_MS = 30_000;
/** Of dates in two lists, and of pictures that are not shown at the very moment they are asked for. */
const NEAR_SECONDS = 2.5;
/** However full the disk of this machine is. */
const REWINDS = ['--set', 'rewind_minutes=120', '--set', 'recording_min_free_gigabytes=0'];
const REWIND = /\/hls\/rewind\.m3u8/;

const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

let server;
let publisher;

before(async () => {
  server = await startServer({ args: REWINDS });
  await setUp(server, { name: 'Brook Radio' });
  publisher = publish(server);
  await untilState(server, 'live');
  await untilPlaylist(server, ({ durations }) => sum(durations) >= KEPT_SECONDS, {
    path: LIST,
    deadlineMs: LONG_DEADLINE_MS,
  });
});
after(async () => {
  await publisher?.kill();
  await server?.stop();
});

/** Notes when the longer list is asked for. */
function watchRewind(page) {
  const asked = [];
  page.on('request', (request) => REWIND.test(request.url()) && asked.push(request.url()));
  return asked;
}

const slider = (page) => page.getByRole('slider', { name: 'Rewind the stream' });
const backToLive = (page) => page.getByRole('button', { name: 'Back to live' });

/** Seconds behind live, as the bar says it. */
const behindOf = async (page) => {
  const [max, value] = await slider(page).evaluate((input) => [Number(input.max), Number(input.value)]);
  return max - value;
};
const untilBehind = (page, isRight) =>
  eventually(
    async () => {
      const behind = await behindOf(page);
      if (!isRight(behind)) throw new Error(`${behind} s behind live`);
      return behind;
    },
    { deadlineMs: TOLD_MS },
  );

/** In front of the player, with its bar. */
async function atTheBar(page) {
  await watch(page, server);
  await untilMoving(page);
  await page.locator('#player').hover();
  await slider(page).waitFor();
}

describe('going back in the stream', { concurrency: 2 }, () => {
  test('whoever stays live never asks for the longer list, and fetches the bar only after the picture', () =>
    withPage({ viewport: DESKTOP }, async (page, context) => {
      const violations = await watchPolicy(context);
      const asked = watchRewind(page);
      await atTheBar(page);
      await untilMoving(page, { seconds: 5 });
      assert.deepEqual(asked, []);
      assert.ok((await behindOf(page)) < NEAR_SECONDS, 'the thumb is not at the end');
      assert.deepEqual(violations, []);
    }));

  test('ten seconds back are shown from what is there already, and the keys do the same', () =>
    withPage({ viewport: DESKTOP }, async (page) => {
      const asked = watchRewind(page);
      await atTheBar(page);
      await untilMoving(page, { seconds: 12 });
      await page.getByRole('button', { name: '10 seconds back' }).click();
      const behind = await untilBehind(page, (seconds) => seconds > 8);
      assert.ok(behind < 10 + 2 * NEAR_SECONDS, `${behind} s behind live`);
      assert.deepEqual(asked, [], 'the live list has that much');
      await page.keyboard.press('ArrowLeft');
      await untilBehind(page, (seconds) => seconds > 13);
      await page.locator('#player').hover();
      await backToLive(page).click();
      await untilBehind(page, (seconds) => seconds < NEAR_SECONDS * 2);
      await backToLive(page).waitFor({ state: 'detached' });
    }));

  test('the oldest picture comes from the longer list, plays on without a hole, and live is one press away', () =>
    withPage({ viewport: DESKTOP }, async (page) => {
      const asked = watchRewind(page);
      await atTheBar(page);
      await slider(page).focus();
      await page.keyboard.press('Home');
      await untilMoving(page, { seconds: 3 });
      assert.ok(asked.length > 0, 'the longer list was not asked for');
      const behind = await untilBehind(page, (seconds) => seconds > 24);
      const max = Number(await slider(page).getAttribute('max'));
      assert.ok(behind > max - 20, `${behind} s behind live of ${max}`);
      const holes = await watchHoles(page);
      await untilMoving(page, { seconds: 8 });
      assert.deepEqual(await holes(), []);
      await page.locator('#player').hover();
      await shot(page, 'player-rewind');
      await backToLive(page).click();
      await untilBehind(page, (seconds) => seconds < NEAR_SECONDS * 2);
      await untilMoving(page, { seconds: 3 });
      const { latency } = await playerOf(page);
      assert.ok(Number(latency) < 8, `${latency} s behind live`);
    }));

  test('nobody is taken back to live who did not ask for it', () =>
    withPage({ viewport: DESKTOP }, async (page) => {
      await atTheBar(page);
      await slider(page).focus();
      await page.keyboard.press('Home');
      await untilMoving(page, { seconds: 1 });
      const before = await untilBehind(page, (seconds) => seconds > 20);
      await untilMoving(page, { seconds: 12 });
      const now = await behindOf(page);
      assert.ok(Math.abs(now - before) < NEAR_SECONDS * 2, `it went from ${before} to ${now} s behind live`);
    }));

  test('a break longer than the live list goes on where it stopped', () =>
    withPage({ viewport: DESKTOP }, async (page) => {
      const asked = watchRewind(page);
      await atTheBar(page);
      await page.keyboard.press('k');
      await page.locator('#player[data-state=paused]').waitFor();
      const stoppedAt = Date.now();
      // What is on the screen has left the live list.
      await untilPlaylist(server, ({ dates }) => dates[0] > stoppedAt, { deadlineMs: LONG_DEADLINE_MS });
      await page.keyboard.press('k');
      await untilMoving(page, { seconds: 2 });
      assert.ok(asked.length > 0, 'the longer list was not asked for');
      await page.locator('#player').hover();
      const away = (Date.now() - stoppedAt) / 1000;
      const behind = await untilBehind(page, (seconds) => seconds > away - 2 * NEAR_SECONDS);
      assert.ok(behind < away + 2 * NEAR_SECONDS, `${behind} s behind live after a break of ${away}`);
    }));

  test('a server that takes the longer list away leaves whoever wants it at live', () =>
    withPage({ viewport: DESKTOP, allow: [/status of 404/] }, async (page) => {
      await page.route(REWIND, (route) => route.fulfill({ status: 404, body: '' }));
      await atTheBar(page);
      await slider(page).focus();
      await page.keyboard.press('Home');
      await page.getByText('Rewinding is not possible right now.').waitFor();
      await untilMoving(page, { seconds: 2 });
    }));
});

describe('a server that keeps nothing', () => {
  test('shows no bar and sends none of what it is made of', async () => {
    const own = await startServer({ args: ['demo'] });
    try {
      await setUp(own, { name: 'Brook Radio' });
      await untilState(own, 'live');
      await withPage({ viewport: DESKTOP }, async (page) => {
        const scripts = [];
        page.on('request', (request) => scripts.push(request.url()));
        await watch(page, own);
        await untilMoving(page, { seconds: 3 });
        assert.equal(await slider(page).count(), 0);
        assert.deepEqual(
          scripts.filter((url) => /rewind/i.test(url)),
          [],
        );
      });
    } finally {
      await own.stop();
    }
  });
});

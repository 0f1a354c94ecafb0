// What makes watching comfortable: the menu, the keys, a picture as large as the screen and of its own shape, and what
// there is to see where there is only sound.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SET_UP, setUp } from '../lib/admin.mjs';
import { untilState } from '../lib/broadcast.mjs';
import { fitsWidth, shot, useBrowser, watchPolicy } from '../lib/browser.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { tool } from '../lib/command.mjs';
import { eventually } from '../lib/eventually.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor, startServer } from '../lib/server.mjs';
import { openMenu, playerOf, untilMoving, watch } from '../lib/player-page.mjs';

const withPage = useBrowser();
const DESKTOP = { width: 1280, height: 860 };
const LARGE = { width: 2560, height: 1440 };
const PHONE = { width: 390, height: 844 };
const SKIP_SECONDS = 10;
/** From a key press until it is told: once a second. */
const TOLD_MS = 10_000;
/** The meter of what is not heard. */
const LEAST_LEVEL = 0.06;
let server;

before(async () => {
  server = await startServer({ args: ['demo'] });
  await setUp(server, { name: 'Brook Radio' });
  await untilState(server, 'live');
});
after(() => server?.stop());

const boxOf = (page, selector = '#player') => page.locator(selector).boundingBox();
const latencyOf = async (page) => Number((await playerOf(page)).latency);
const untilLatency = (page, isRight) =>
  eventually(
    async () => {
      const latency = await latencyOf(page);
      if (!isRight(latency)) throw new Error(`${latency} s behind live`);
      return latency;
    },
    { deadlineMs: TOLD_MS },
  );

describe('watching', { concurrency: 2 }, () => {
  test('the menu shows all of itself, and the distance to live stands beside LIVE', () =>
    withPage({ viewport: DESKTOP }, async (page, context) => {
      const violations = await watchPolicy(context);
      await watch(page, server);
      await untilMoving(page);
      await openMenu(page);
      const menu = page.locator('.player-menu');
      assert.ok(await menu.evaluate((element) => element.scrollHeight <= element.clientHeight), 'a part is hidden');
      assert.match(await page.locator('.player-latency').innerText(), /^\d+\.\ds$/);
      await shot(page, 'player-menu');
      await menu.getByRole('button', { name: 'Keyboard shortcuts' }).click();
      const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await help.getByText('Theatre mode').waitFor();
      await shot(page, 'player-help');
      await page.keyboard.press('Escape');
      await help.waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      await help.waitFor();
      assert.deepEqual(violations, []);
    }));

  test('who goes back to see something again stays there, and LIVE leads back', () =>
    withPage({ viewport: DESKTOP }, async (page) => {
      await watch(page, server);
      await untilMoving(page, { seconds: SKIP_SECONDS + 1 });
      const before = await latencyOf(page);
      await page.keyboard.press('j');
      await untilLatency(page, (latency) => latency > before + SKIP_SECONDS - 3);
      await untilMoving(page, { seconds: 4 });
      assert.ok((await latencyOf(page)) > before + SKIP_SECONDS - 4, 'it was taken back to live');
      await page.locator('#player').hover();
      await page.locator('#player media-live-button').click();
      await untilLatency(page, (latency) => latency < before + 2);
    }));

  test('the picture fills a large screen by its height, and in theatre mode all of the window beside the chat', () =>
    withPage({ viewport: LARGE }, async (page) => {
      await watch(page, server);
      await untilMoving(page);
      const usual = await boxOf(page);
      assert.ok(usual.width > 1600, `the picture is ${usual.width} wide`);
      const title = await boxOf(page, '.status-title');
      assert.ok(title.y + title.height <= LARGE.height, 'its title is below the window');
      await shot(page, 'player-large');
      await page.keyboard.press('t');
      const chat = await boxOf(page, '#chat-container');
      const large = await boxOf(page);
      assert.equal(large.x, 0);
      assert.ok(Math.abs(large.width - chat.x) <= 1, `${large.width} wide, the chat begins at ${chat.x}`);
      await shot(page, 'player-theatre');
      await page.reload();
      await page.locator('.viewer[data-theatre=on]').waitFor();
      await untilMoving(page);
      await page.getByRole('button', { name: 'Theatre mode' }).click();
      assert.equal((await boxOf(page)).width, usual.width);
    }));

  test('a tall picture on a phone is tall', async (t) => {
    const clip = join(await scratchFolder(t), 'tall.flv');
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=180x320:rate=30', '-t', '4'];
    const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '60', '-bf', '0'];
    await tool('ffmpeg', ['-v', 'error', ...picture, ...codec, clip]);
    const own = await serverFor(t, { args: SET_UP });
    publisherFor(t, own, { clip });
    await untilState(own, 'live');
    await withPage({ viewport: PHONE }, async (page) => {
      await watch(page, own);
      await untilMoving(page);
      const tallness = async () => (await boxOf(page)).height / PHONE.height;
      const beside = await tallness();
      assert.ok(Math.abs(beside - 0.42) < 0.01, `above the chat it is ${beside} of the screen`);
      await shot(page, 'player-tall-phone-chat');
      await page.getByRole('tab', { name: 'About' }).click();
      const alone = await tallness();
      assert.ok(Math.abs(alone - 0.7) < 0.01, `it is ${alone} of the screen`);
      await shot(page, 'player-tall-phone');
      assert.ok(await fitsWidth(page));
    });
  });

  test('sound alone shows whose it is and what it is called', async (t) => {
    const own = await serverFor(t);
    const admin = await setUp(own, { name: 'Brook Radio' });
    await admin.set('streamtitle', 'Rain on the roof');
    publisherFor(t, own, { clip: 'audio-only' });
    await untilState(own, 'live');
    await withPage({ viewport: DESKTOP, reducedMotion: 'no-preference' }, async (page) => {
      await watch(page, own);
      await untilMoving(page);
      const place = page.locator('.player-sound');
      await place.getByText('Rain on the roof').waitFor();
      await place.getByText('Brook Radio').waitFor();
      const bar = page.locator('.player-level i').nth(2);
      const level = () => bar.evaluate((element) => getComputedStyle(element).getPropertyValue('--level'));
      await eventually(async () => Number(await level()) > LEAST_LEVEL);
      await shot(page, 'player-sound');
    });
  });

  test('a frame on another site says whose stream it is, and leads there', () =>
    withPage({ viewport: { width: 640, height: 360 } }, async (page, context) => {
      await watch(page, server, '/embed/video');
      await untilMoving(page);
      await page.locator('#player').hover();
      await shot(page, 'player-embed');
      const opened = context.waitForEvent('page');
      await page.getByRole('link', { name: 'Brook Radio' }).click();
      const home = await opened;
      await home.locator('#header').waitFor();
      assert.equal(new URL(home.url()).pathname, '/');
    }));
});

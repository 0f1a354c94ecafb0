// The pages while something is on: the player may break the content security policy no more than the rest, and each
// state leaves a picture.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PASSWORD, openFromMenu, setUp } from '../lib/admin.mjs';
import { untilState } from '../lib/broadcast.mjs';
import { fitsWidth, shot, UNAUTHORIZED, useBrowser, watchPolicy } from '../lib/browser.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { askFor, untilQualities } from '../lib/qualities.mjs';
import { serverFor, startServer } from '../lib/server.mjs';
import { untilMoving, untilPlayer, watch } from '../lib/player-page.mjs';

const ONLY_LONG = { skip: process.env.RILLCAST_RING !== 'all' && 'only in the long ring' };
const withPage = useBrowser();
const DESKTOP = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };
let server;

before(async () => {
  server = await startServer({ args: ['demo'] });
  const admin = await setUp(server, { name: 'Brook Radio' });
  await admin.set('serversummary', 'Slow television from a small river: walks, weather, and now and then a guest.');
  await admin.set('streamtitle', 'Friday walk to the old mill');
  await admin.set('tags', ['slowtv', 'nature', 'music']);
  await admin.set('pagecontent', '## What happens here\n\nEvery Friday we walk along the river and show what we find.');
  await untilState(server, 'live');
});
after(() => server?.stop());

const VIEWS = [
  { name: 'live-desktop-light', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'live-desktop-dark', viewport: DESKTOP, colorScheme: 'dark' },
  { name: 'live-phone-light', viewport: PHONE, colorScheme: 'light' },
  { name: 'live-phone-dark', viewport: PHONE, colorScheme: 'dark' },
  { name: 'embed', viewport: { width: 640, height: 360 }, colorScheme: 'dark', path: '/embed/video' },
];

describe('pages while something is on', { concurrency: 2 }, () => {
  for (const { name, path, ...options } of VIEWS) {
    test(`a page that plays breaks no policy: ${name}`, () =>
      withPage(options, async (page, context) => {
        const violations = await watchPolicy(context);
        await watch(page, server, path);
        await untilMoving(page);
        // With the controls in sight.
        await page.locator('#player').hover();
        await shot(page, name);
        assert.deepEqual(violations, []);
        assert.ok(await fitsWidth(page));
      }));
  }

  test('a page that waits for a lost publisher breaks no policy', async (t) => {
    const lonely = await serverFor(t);
    await setUp(lonely, { name: 'Brook Radio' });
    const publisher = publisherFor(t, lonely);
    await untilState(lonely, 'live');
    await withPage({ viewport: DESKTOP, allow: [/status of 503/] }, async (page, context) => {
      const violations = await watchPolicy(context);
      await watch(page, lonely);
      await untilMoving(page);
      await publisher.kill();
      await untilPlayer(page, 'waiting');
      await shot(page, 'waiting-desktop');
      await page.setViewportSize(PHONE);
      await shot(page, 'waiting-phone');
      assert.deepEqual(violations, []);
    });
  });

  for (const colorScheme of ['light', 'dark']) {
    test(`the operator's pages during a broadcast in ${colorScheme} colours break no policy`, () =>
      withPage({ colorScheme, viewport: DESKTOP, allow: [UNAUTHORIZED] }, async (page, context) => {
        const violations = await watchPolicy(context);
        await page.goto(`${server.http}/admin/`);
        await page.getByLabel('Password').fill(PASSWORD);
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Disconnect' }).waitFor();
        await shot(page, `home-live-${colorScheme}`);
        await openFromMenu(page, 'Video');
        await page.getByRole('heading', { level: 1, name: 'Video' }).waitFor();
        await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
        // Last come the encoders, which are tried first.
        await page.getByRole('radio', { name: /Software/ }).waitFor();
        await shot(page, `video-${colorScheme}`);
        await page.setViewportSize(PHONE);
        await shot(page, `video-phone-${colorScheme}`);
        assert.ok(await fitsWidth(page));
        await page.getByRole('button', { name: 'Menu' }).click();
        await openFromMenu(page, 'Home');
        await page.getByRole('button', { name: 'Disconnect' }).waitFor();
        await shot(page, `home-live-phone-${colorScheme}`);
        assert.ok(await fitsWidth(page));
        assert.deepEqual(violations, []);
      }));
  }

  test('the pages about an encoder at work break no policy', ONLY_LONG, async (t) => {
    const encoding = await serverFor(t);
    await askFor(await setUp(encoding, { name: 'Brook Radio' }));
    publisherFor(t, encoding, { clip: '360p' });
    await untilQualities(encoding);
    await withPage({ viewport: DESKTOP, allow: [UNAUTHORIZED] }, async (page, context) => {
      const violations = await watchPolicy(context);
      await page.goto(`${encoding.http}/admin/`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      for (const [name, title, last] of [
        ['video-ladder', 'Video', page.getByRole('radio', { name: /Software/ })],
        ['health-ladder', 'Stream health', page.getByRole('heading', { level: 2, name: 'Transcoding', exact: true })],
      ]) {
        await openFromMenu(page, title);
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
        await last.waitFor();
        // Speed is measured for some seconds before it is said.
        await page.getByText('not yet known').waitFor({ state: 'detached', timeout: 30_000 });
        for (const [device, viewport] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
          await page.setViewportSize(viewport);
          assert.ok(await fitsWidth(page));
          // With what lies below the window.
          await shot(page.locator('main'), `${name}-${device}`);
        }
      }
      assert.deepEqual(violations, []);
    });
  });
});

// Who comes with the first picture of a stream has all of its qualities a little later, though they are not listed yet.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setUp } from '../lib/admin.mjs';
import { untilState } from '../lib/broadcast.mjs';
import { shot, useBrowser } from '../lib/browser.mjs';
import { eventually } from '../lib/eventually.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { askFor, qualitiesIn, QUALITIES, SIZES, untilQualities } from '../lib/qualities.mjs';
import { serverFor } from '../lib/server.mjs';
import { chooseQuality, isMarked, mark, openMenu, untilMoving, watchHoles } from '../lib/player-page.mjs';

const withPage = useBrowser();
/** The encoder's start, and the time until somebody looks again. */
const LISTED_MS = 30_000;
const MASTER = '/hls/stream.m3u8';

for (const [what, change] of [
  ['as they are', {}],
  ['with their own sound', { audioBitrate: 64 }],
]) {
  test(`qualities ${what} are taken in while the picture of a page that waited goes on`, async (t) => {
    const server = await serverFor(t);
    const admin = await setUp(server);
    await askFor(admin, QUALITIES.map((quality) => (quality.videoPassthrough ? quality : { ...quality, ...change })));
    await withPage({}, async (page) => {
      const firstList = page.waitForResponse((response) => new URL(response.url()).pathname === MASTER);
      await page.goto(server.http);
      await page.locator('#offline-banner').waitFor();
      await mark(page);
      publisherFor(t, server, { clip: '360p' });
      await untilState(server, 'live');
      const sizes = qualitiesIn(await (await firstList).text()).map(({ size }) => size);
      assert.deepEqual(sizes, ['640x360'], 'they were all listed when the page came');
      await untilMoving(page);
      const holes = await watchHoles(page);
      const names = await openMenu(page);
      await untilQualities(server, SIZES);
      await eventually(
        async () => {
          const found = await names();
          if (found.length !== QUALITIES.length + 1) throw new Error(`the menu has ${found}`);
          return true;
        },
        { deadlineMs: LISTED_MS },
      );
      await page.locator('.player-qualities').getByText('Automatic (Untouched)').waitFor();
      await shot(page, 'player-qualities');
      await chooseQuality(page, 'Half', 180);
      await chooseQuality(page, 'Untouched', 360);
      assert.deepEqual(await holes(), []);
      assert.ok(await isMarked(page), 'the page was loaded again');

      await chooseQuality(page, 'Half', 180);
      await page.reload();
      assert.equal((await untilMoving(page)).height, 180, 'the choice is forgotten');
    });
  });
}

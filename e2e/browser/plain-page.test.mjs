// The viewer page without JavaScript, and the pages for addresses that do not exist.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setUp } from '../lib/admin.mjs';
import { fitsWidth, useBrowser, watchPolicy } from '../lib/browser.mjs';
import { sqlite } from '../lib/command.mjs';
import { serverFor, startServer } from '../lib/server.mjs';

const withPage = useBrowser();
const plain = { javaScriptEnabled: false };
let server;

before(async () => {
  server = await startServer();
  const admin = await setUp(server, { name: 'Brook Radio' });
  await admin.set('offlinemessage', 'Back on **Friday** at eight.');
  await admin.set('pagecontent', '## Our studio\n\nA shed by the water.');
  await admin.set('tags', ['music', 'talk']);
});
after(() => server?.stop());

test('without JavaScript the page says what the stream is, and where it plays', () =>
  withPage({ ...plain, viewport: { width: 320, height: 640 } }, async (page) => {
    await page.goto(server.http);
    const text = page.locator('.plain-page');
    await text.getByRole('heading', { level: 1, name: 'Brook Radio' }).waitFor();
    await text.getByText('The stream is offline').waitFor();
    await text.getByText('Back on Friday at eight.').waitFor();
    await text.getByText('A shed by the water.').waitFor();
    await text.getByText('#music').waitFor();
    const link = text.getByRole('link', { name: '/hls/stream.m3u8' });
    assert.equal(await link.getAttribute('href'), '/hls/stream.m3u8');
    assert.equal(await text.evaluate((main) => getComputedStyle(main).display), 'grid', 'it is styled');
    assert.ok(await fitsWidth(page));
  }));

test('a German browser without JavaScript reads German', () =>
  withPage({ ...plain, locale: 'de-DE' }, async (page) => {
    await page.goto(server.http);
    await page.locator('.plain-page').getByText('Der Stream ist offline').waitFor();
    assert.equal(await page.locator('.plain-page').getAttribute('lang'), 'de');
  }));

test('with JavaScript nothing of it is on the page', () =>
  withPage({}, async (page) => {
    await page.goto(server.http);
    await page.locator('#offline-banner').waitFor();
    assert.equal(await page.locator('.plain-page').count(), 0);
  }));

test('an address that does not exist leads a person back to the stream', () =>
  withPage({ allow: [/status of 404/] }, async (page, context) => {
    const violations = await watchPolicy(context);
    const answer = await page.goto(`${server.http}/nothing/here`);
    assert.equal(answer.status(), 404);
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    assert.equal(await page.locator('.plain-page').evaluate((main) => getComputedStyle(main).display), 'grid');
    assert.deepEqual(violations, []);
    await page.getByRole('link', { name: 'Go to the stream' }).click();
    await page.locator('#offline-banner').waitFor();
    const program = await fetch(`${server.http}/api/nothing`, { headers: { Accept: 'text/html' } });
    assert.equal((await program.text()).trim(), '404 page not found');
  }));

test('a page that the server cannot make says so, and leads back to the stream', (t) =>
  withPage({ allow: [/status of 500/] }, async (page, context) => {
    const damaged = await serverFor(t);
    const { cookie } = await setUp(damaged, { name: 'Brook Radio' });
    await sqlite(join(damaged.dataDir, 'rillcast.db'), 'ALTER TABLE sessions RENAME TO lost');
    const pairs = cookie.split('; ').map((pair) => pair.split('='));
    await context.addCookies(pairs.map(([name, value]) => ({ name, value, url: damaged.http })));
    const answer = await page.goto(`${damaged.http}/admin/`);
    assert.equal(answer.status(), 500);
    await page.getByRole('heading', { level: 1, name: 'Something went wrong' }).waitFor();
    assert.equal(await page.locator('.plain-page').evaluate((main) => getComputedStyle(main).display), 'grid');
    await page.getByRole('link', { name: 'Go to the stream' }).click();
    await page.locator('#offline-banner').waitFor();
  }));

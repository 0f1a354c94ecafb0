// Handing the stream on, installing the page, and the page without a connection.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setUp } from '../lib/admin.mjs';
import { useBrowser } from '../lib/browser.mjs';
import { serverFor, startServer } from '../lib/server.mjs';

const withPage = useBrowser();
let server;

before(async () => {
  server = await startServer();
  await setUp(server, { name: 'Brook Radio' });
});
after(() => server?.stop());

test('the share dialog gives the address, and code that shows the player', () =>
  withPage({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    await page.goto(server.http);
    await page.locator('#share-button').click();
    const dialog = page.getByRole('dialog', { name: 'Share this stream' });
    await dialog.getByRole('button', { name: 'Copy: Link' }).click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await dialog.getByText('Copied', { exact: true }).first().waitFor({ state: 'attached' });
    assert.equal(await copied(), `${server.http}/`);
    await dialog.getByLabel('With chat').check();
    const code = await dialog.locator('pre').textContent();
    assert.match(code, /\/embed\/video.*\n.*\/embed\/chat\/readwrite/);
    // The code of the player, on a page.
    const source = /src="([^"]+)"/.exec(code)[1];
    await dialog.getByRole('button', { name: 'Close' }).click();
    assert.equal(await page.evaluate(() => document.activeElement.id), 'share-button');
    await page.goto(source);
    await page.getByRole('link', { name: 'Brook Radio is offline' }).waitFor();
  }));

test('on a phone the share dialog fits', () =>
  withPage({ viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true }, async (page) => {
    await page.goto(server.http);
    await page.locator('#share-button').tap();
    const dialog = page.getByRole('dialog', { name: 'Share this stream' });
    await dialog.waitFor();
    const widths = await dialog.evaluate((element) => [element.scrollWidth, element.clientWidth]);
    assert.ok(widths[0] <= widths[1], `it is ${widths[0]} wide in ${widths[1]}`);
  }));

test('another site can ask how to show the player', () =>
  withPage({}, async (page) => {
    await page.goto(server.http);
    const address = await page.locator('link[type="application/json+oembed"]').getAttribute('href');
    const embed = await (await fetch(address)).json();
    assert.deepEqual([embed.type, embed.version, embed.title], ['video', '1.0', 'Brook Radio']);
    assert.match(embed.html, new RegExp(`^<iframe src="${server.http}/embed/video"`));
    const missing = await fetch(`${server.http}/oembed?url=https%3A%2F%2Fevil.example%2F`);
    assert.equal(missing.status, 404);
  }));

test('the manifest names icons of the sizes it says', () =>
  withPage({}, async (page) => {
    await page.goto(server.http);
    const address = await page.locator('link[rel="manifest"]').getAttribute('href');
    const sizes = await page.evaluate(async (path) => {
      const manifest = await (await fetch(path)).json();
      const measured = manifest.icons.map(async ({ src, sizes }) => {
        const picture = new Image();
        picture.src = src;
        await picture.decode();
        return [sizes, `${picture.naturalWidth}x${picture.naturalHeight}`];
      });
      return Promise.all(measured);
    }, address);
    assert.equal(sizes.length, 3);
    for (const [said, measured] of sizes) assert.equal(measured, said);
  }));

test('without a connection the page says so, in its own look, and caches nothing else', (t) =>
  withPage({ serviceWorkers: 'allow', allow: [/ERR_CONNECTION/, /status of 5/] }, async (page) => {
    const own = await serverFor(t);
    await setUp(own, { name: 'Brook Radio' });
    await page.goto(own.http);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await page.evaluate(() => fetch('/api/status'));
    const cached = await page.evaluate(async () => {
      const caching = (await caches.keys()).map(async (name) => (await caches.open(name)).keys());
      return (await Promise.all(caching)).flat().map((request) => new URL(request.url).pathname);
    });
    assert.ok(cached.includes('/offline'));
    assert.ok(cached.every((path) => path === '/offline' || path.startsWith('/assets/')), cached.join(' '));
    await own.stop();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'No connection' }).waitFor();
    assert.equal(await page.locator('.plain-page').evaluate((main) => getComputedStyle(main).display), 'grid');
    const logo = await page.locator('.plain-page .logo').evaluate((picture) => picture.naturalWidth);
    assert.ok(logo > 0, 'the logo is part of the page');
    // An admin page is none of the worker's business.
    await assert.rejects(page.goto(`${own.http}/admin/`), /ERR_CONNECTION/);
  }));

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setUp } from '../lib/admin.mjs';
import { fitsWidth, useBrowser } from '../lib/browser.mjs';
import { startServer } from '../lib/server.mjs';

const withPage = useBrowser();
let server;

before(async () => {
  server = await startServer();
  const admin = await setUp(server, { name: 'Brook Radio' });
  await admin.set('offlinemessage', 'Back on **Friday** at eight.');
  await admin.set('pagecontent', '## Our studio\n\nA shed by the water.');
  await admin.set('tags', ['music', 'talk']);
});
after(() => server?.stop());

const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

test('an offline stream shows its name, the operator’s message and the page content', () =>
  withPage({}, async (page) => {
    await page.goto(server.http);
    const banner = page.locator('#offline-banner');
    await banner.getByText('The stream is offline').waitFor();
    await banner.getByText('Back on Friday at eight.').waitFor();
    assert.equal(await page.locator('#global-header-text').textContent(), 'Brook Radio');
    assert.equal(await page.locator('#header .state-tag').textContent(), 'Offline');
    await page.locator('#custom-page-content').getByText('A shed by the water.').waitFor();
    await page.getByText('#music').waitFor();
    assert.match(await page.locator('#footer').textContent(), /Rillcast \d/);
    assert.equal(await page.locator('#player').count(), 0);
  }));

test('the first key press reaches the skip link and it leads to the content', () =>
  withPage({}, async (page) => {
    await page.goto(server.http);
    await page.locator('#offline-banner').waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'skip-link');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  }));

test('colours follow the system until the visitor chooses, and the choice is remembered', () =>
  withPage({ colorScheme: 'dark' }, async (page) => {
    await page.goto(server.http);
    const dark = await background(page);
    await page.getByRole('button', { name: 'Switch to light mode' }).click();
    const light = await background(page);
    assert.notEqual(light, dark);
    await page.reload();
    await page.getByRole('button', { name: 'Switch to dark mode' }).waitFor();
    assert.equal(await background(page), light);
  }));

test('a German browser gets German, and the language can be changed', () =>
  withPage({ locale: 'de-DE' }, async (page) => {
    await page.goto(server.http);
    await page.getByText('Der Stream ist offline').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
    await page.getByLabel('Sprache').selectOption('en');
    await page.getByText('The stream is offline').waitFor();
    await page.reload();
    await page.getByText('The stream is offline').waitFor();
  }));

test('the page says so when the server cannot be reached, and recovers', () =>
  withPage({ allow: [/Failed to load resource/, /WebSocket connection/] }, async (page, context) => {
    // The page asks every five seconds and waits longer after a failure; its clock is ours here.
    await page.clock.install();
    await page.goto(server.http);
    await page.locator('#offline-banner').waitFor();
    await context.setOffline(true);
    await page.clock.fastForward('00:06');
    await page.getByText('Connection lost, retrying').waitFor();
    await context.setOffline(false);
    await page.clock.fastForward('01:01');
    await page.getByText('Connection lost, retrying').waitFor({ state: 'detached' });
  }));

for (const width of [320, 390, 768, 1440]) {
  test(`nothing sticks out of a window ${width} pixels wide`, () =>
    withPage({ viewport: { width, height: 800 } }, async (page) => {
      await page.goto(server.http);
      await page.locator('#offline-banner').waitFor();
      assert.ok(await fitsWidth(page));
    }));
}

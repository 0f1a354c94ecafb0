// The look of the viewer page: tried out in a preview, published, taken back; texts are written with a toolbar.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PASSWORD, setUp } from '../lib/admin.mjs';
import { UNAUTHORIZED, useBrowser } from '../lib/browser.mjs';
import { startServer } from '../lib/server.mjs';

/** Two by one pixels, both red. */
const RED =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAADUlEQVR4nGP4z8AARAAI/gH/xp559wAAAABJRU5ErkJggg==';

const withPage = useBrowser();
let server;
before(async () => {
  server = await startServer();
  await setUp(server, { name: 'Brook Radio' });
});
after(() => server?.stop());

async function open(page, path) {
  await page.goto(server.http + path);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const signedOut = { allow: [UNAUTHORIZED], colorScheme: 'light', viewport: { width: 1440, height: 900 } };
const backgroundOf = (frame) => frame.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
const published = (page) => page.locator('.setting[data-key=appearance][data-state=saved]').waitFor();

test('a preset is seen in the preview before anybody else sees it, and everything can be reset', () =>
  withPage(signedOut, async (page, context) => {
    await open(page, '/admin/config/appearance');
    const preview = page.frameLocator('.look-frame iframe');
    await preview.locator('#offline-banner').waitFor();
    const asItComes = await backgroundOf(preview);
    await page.getByText('Ember', { exact: true }).click();
    const ember = await backgroundOf(preview);
    assert.notEqual(ember, asItComes);
    const viewer = await context.newPage();
    await viewer.goto(server.http);
    assert.equal(await backgroundOf(viewer), asItComes, 'it is a draft');
    await page.getByRole('button', { name: 'Publish this look' }).click();
    await published(page);
    await viewer.reload();
    assert.equal(await backgroundOf(viewer), ember);
    await page.getByRole('button', { name: 'Reset everything' }).click();
    await page.getByRole('button', { name: 'Really reset everything?' }).click();
    assert.equal(await backgroundOf(preview), asItComes, 'the preview shows it before it is published');
    await page.getByRole('button', { name: 'Publish this look' }).click();
    await published(page);
    await viewer.reload();
    assert.equal(await backgroundOf(viewer), asItComes);
  }));

test('a header picture is behind the name, and an icon is made from the logo', () =>
  withPage(signedOut, async (page, context) => {
    await open(page, '/admin/config/appearance');
    const picture = { name: 'top.png', mimeType: 'image/png', buffer: Buffer.from(RED, 'base64') };
    await page.getByLabel('Header picture: Choose a picture').setInputFiles(picture);
    await page.getByRole('button', { name: 'Remove the picture' }).waitFor();
    await page.getByRole('button', { name: 'Publish this look' }).click();
    await published(page);
    const viewer = await context.newPage();
    await viewer.goto(server.http);
    const image = await viewer.locator('#header').evaluate((header) => getComputedStyle(header).backgroundImage);
    assert.match(image, /headerpicture/);
    const before = await (await fetch(`${server.http}/favicon.ico`)).headers.get('etag');
    await page.getByRole('button', { name: 'Use the logo' }).click();
    await page.locator('.setting[data-key=favicon][data-state=saved]').waitFor();
    const icon = await fetch(`${server.http}/favicon.ico`);
    assert.equal(icon.headers.get('content-type'), 'image/png');
    assert.notEqual(icon.headers.get('etag'), before);
  }));

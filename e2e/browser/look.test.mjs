// The look of the viewer page: tried out in a preview, published, taken back; texts are written with a toolbar.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PASSWORD, setUp } from '../lib/admin.mjs';
import { UNAUTHORIZED, useBrowser } from '../lib/browser.mjs';
import { startServer } from '../lib/server.mjs';

/** Two by one pixels, both red. */
const RED = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAADUlEQVR4nGP4z8AARAAI/gH/xp559wAAAABJRU5ErkJggg==';

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
    await page.getByLabel('Ember').check();
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

test('the About text is written with buttons and keys, and the preview is what viewers get', () =>
  withPage(signedOut, async (page, context) => {
    await open(page, '/admin/config/general');
    const field = page.locator('.setting[data-key=pagecontent]');
    const text = field.locator('textarea');
    await text.fill('Our studio by the water');
    await text.press('Control+a');
    await text.press('Control+b');
    assert.equal(await text.inputValue(), '**Our studio by the water**');
    await text.press('Control+z');
    assert.equal(await text.inputValue(), 'Our studio by the water', 'the browser takes it back');
    await field.getByRole('button', { name: 'Heading' }).click();
    await field.getByRole('button', { name: 'Preview' }).click();
    await field.getByRole('heading', { name: 'Our studio by the water' }).waitFor();
    // Leaving the text for its preview has saved it.
    await page.waitForFunction(async () => {
      const config = await (await fetch('/api/config')).json();
      return config.extraPageContent.includes('<h2>');
    });
    const viewer = await context.newPage();
    await viewer.goto(server.http);
    await viewer.locator('#custom-page-content').getByRole('heading', { name: 'Our studio by the water' }).waitFor();
    const summary = page.getByLabel('Summary');
    await summary.fill(
      'A sentence that is long enough to need a second line, and then perhaps a third one. '.repeat(3),
    );
    const height = await summary.evaluate((area) => area.clientHeight);
    assert.ok(height >= (await summary.evaluate((area) => area.scrollHeight)), 'nothing has to be scrolled');
    await page.getByText('252 of 500 characters').waitFor();
  }));

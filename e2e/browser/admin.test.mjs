import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PASSWORD, openFromMenu, setUp } from '../lib/admin.mjs';
import { fitsWidth, UNAUTHORIZED, useBrowser } from '../lib/browser.mjs';
import { startServer } from '../lib/server.mjs';

const withPage = useBrowser();
const signedOut = { allow: [UNAUTHORIZED] };
let server;

before(async () => {
  server = await startServer();
  await setUp(server, { name: 'Brook Radio' });
});
after(() => server?.stop());

async function signIn(page, path = '/admin/') {
  await page.goto(server.http + path);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('a wrong password is refused with a reason and the right one enters', () =>
  withPage(signedOut, async (page) => {
    await page.goto(`${server.http}/admin/`);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('That is not the admin password.').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  }));

test('Home shows where to stream to, with a hidden key', () =>
  withPage(signedOut, async (page) => {
    await signIn(page);
    await page.getByText(/^rtmp:\/\/127\.0\.0\.1(:\d+)?\/live$/).waitFor();
    assert.equal(await page.getByText(server.streamKey, { exact: true }).count(), 0);
    await page.getByRole('button', { name: 'Show: Stream key' }).click();
    await page.getByText(server.streamKey, { exact: true }).waitFor();
  }));

test('signing in leads to the page that was asked for, and signing out closes it', () =>
  withPage(signedOut, async (page) => {
    await signIn(page, '/admin/logs');
    await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/admin/logs');
  }));

test('a lost session asks for the password and returns to the same page', () =>
  withPage(signedOut, async (page, context) => {
    await signIn(page, '/admin/config/server');
    await page.getByRole('heading', { level: 1, name: 'Server' }).waitFor();
    await context.clearCookies();
    await openFromMenu(page, 'Logs');
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor();
  }));

test('a changed name is saved with a tick and shows on the viewer page', () =>
  withPage(signedOut, async (page) => {
    await signIn(page, '/admin/config/general');
    const field = page.locator('.setting[data-key=name]');
    await field.getByLabel('Name').fill('Harbour Live');
    await page.keyboard.press('Enter');
    await field.getByText('Saved').waitFor();
    await page.goto(server.http);
    await page.locator('#global-header-text').getByText('Harbour Live').waitFor();
  }));

test('the title box, a switch and the tags save by themselves', () =>
  withPage(signedOut, async (page) => {
    await signIn(page, '/admin/config/general');
    await page.getByLabel('What are you streaming now?').fill('Morning walk');
    await page.keyboard.press('Enter');
    await page.locator('.title-box[data-state=saved]').waitFor();
    await page.getByRole('switch', { name: 'Not safe for work' }).click();
    await page.locator('.setting[data-key=nsfw][data-state=saved]').waitFor();
    await page.getByLabel('Tags').fill('river');
    await page.keyboard.press('Enter');
    await page.locator('.setting[data-key=tags][data-state=saved]').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Remove river' }).waitFor();
    assert.equal(await page.getByLabel('What are you streaming now?').inputValue(), 'Morning walk');
    assert.ok(await page.getByRole('switch', { name: 'Not safe for work' }).isChecked());
  }));

test('a value the server refuses stays in its field with the reason below', () =>
  withPage({ allow: [UNAUTHORIZED, /status of 400/] }, async (page) => {
    await signIn(page, '/admin/config/server');
    const field = page.locator('.setting[data-key=serverurl]');
    await field.getByLabel('Server URL').fill('gopher://nowhere');
    await page.keyboard.press('Enter');
    await field.locator('.field-error:not(:empty)').waitFor();
    assert.equal(await field.getByLabel('Server URL').inputValue(), 'gopher://nowhere');
    assert.equal(await field.getAttribute('data-state'), 'error');
  }));

test('a stream key can be added and withdrawn', () =>
  withPage(signedOut, async (page) => {
    await signIn(page, '/admin/config/server');
    await page.getByRole('button', { name: 'Add a key' }).click();
    await page.getByLabel('What is it for?').fill('Laptop');
    await page.getByRole('button', { name: 'Add this key' }).click();
    await page.locator('.setting[data-key=streamkeys][data-state=saved]').waitFor();
    await page.getByRole('button', { name: 'Remove: Laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Remove: Laptop' }).waitFor({ state: 'detached' });
  }));

test('a custom colour reaches the viewer page', () =>
  withPage(signedOut, async (page) => {
    await signIn(page, '/admin/config/appearance');
    await page.getByLabel('Background: Light, as a code').fill('#123456');
    await page.keyboard.press('Enter');
    await page.getByLabel('Background: Dark, as a code').fill('#123456');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Publish this look' }).click();
    await page.locator('.setting[data-key=appearance][data-state=saved]').waitFor();
    await page.goto(server.http);
    await page.locator('#offline-banner').waitFor();
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(18, 52, 86)');
  }));

test('the menu works by keyboard and on a phone, and no page is wider than the window', () =>
  withPage({ ...signedOut, viewport: { width: 320, height: 700 } }, async (page) => {
    await signIn(page);
    for (const name of ['General', 'Appearance', 'Server', 'Logs', 'Home']) {
      await page.getByRole('button', { name: 'Menu' }).press('Enter');
      await openFromMenu(page, name);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      assert.ok(await fitsWidth(page), `${name} fits`);
    }
  }));

test('an address that does not exist says so', () =>
  withPage(signedOut, async (page) => {
    await signIn(page, '/admin/no-such-page');
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Back to Home' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  }));

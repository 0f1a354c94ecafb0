// Finding one's way in the admin pages: the menu, the search, the first page, the log, long forms.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { PASSWORD, openFromMenu, setUp } from '../lib/admin.mjs';
import { fitsWidth, UNAUTHORIZED, useBrowser, watchPolicy } from '../lib/browser.mjs';
import { eventually } from '../lib/eventually.mjs';
import { startServer } from '../lib/server.mjs';

const withPage = useBrowser();
const signedOut = { allow: [UNAUTHORIZED] };
const PHONE = { width: 320, height: 700 };
let server;
let admin;

before(async () => {
  server = await startServer();
  admin = await setUp(server, { name: 'Brook Radio' });
});
after(() => server?.stop());

async function signIn(page, path) {
  await page.goto(server.http + path);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#menu a').first().waitFor({ state: 'attached' });
}

/** Whether all of it can be seen without scrolling, in the window or in the dialog it is in. */
const isInSight = (locator) =>
  locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    const frame = element.closest('dialog')?.getBoundingClientRect();
    return top >= Math.max(0, frame?.top ?? 0) && bottom <= Math.min(window.innerHeight, frame?.bottom ?? Infinity);
  });

test('the entry of the page is in sight, its group open, and the others folded', () =>
  withPage({ ...signedOut, viewport: { width: 1440, height: 500 } }, async (page) => {
    await signIn(page, '/admin/logs');
    const current = page.locator('#menu [aria-current=page]');
    await current.waitFor();
    assert.equal(await current.innerText(), 'Logs');
    await eventually(() => isInSight(current));
    assert.equal(await page.getByRole('button', { name: 'Utilities' }).getAttribute('aria-expanded'), 'true');
    assert.equal(await page.getByRole('button', { name: 'Integrations' }).getAttribute('aria-expanded'), 'false');
    // With every group open the menu is longer than the window, and the entry is scrolled to.
    await openFromMenu(page, 'External actions');
    await page.getByRole('heading', { level: 1, name: 'External actions' }).waitFor();
    await eventually(() => isInSight(current));
  }));

test('the search leads to a single setting by its key and puts the focus into it', () =>
  withPage(signedOut, async (page, context) => {
    const violations = await watchPolicy(context);
    await signIn(page, '/admin/logs');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search pages and settings' });
    await field.fill('server_url');
    await page.getByRole('option', { name: /^Server URL/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Server' }).waitFor();
    const input = page.locator('.setting[data-key=serverurl] input');
    await eventually(() => input.evaluate((element) => element === document.activeElement));
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await field.fill('webhoks');
    await page.getByRole('option', { name: /^Webhooks/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    assert.deepEqual(violations, []);
  }));

test('on a phone the menu is a drawer that Escape closes, and a log line is as wide as the page', () =>
  withPage({ ...signedOut, viewport: PHONE }, async (page) => {
    await signIn(page, '/admin/logs');
    const button = page.getByRole('button', { name: 'Menu' });
    await button.press('Enter');
    await page.locator('#menu [aria-current=page]').waitFor();
    assert.ok(await page.locator('main').evaluate((main) => main.inert), 'the page is out of reach');
    await page.keyboard.press('Escape');
    await page.locator('#menu').waitFor({ state: 'hidden' });
    assert.ok(await button.evaluate((element) => element === document.activeElement));
    const message = page.locator('.log-message').first();
    await message.waitFor();
    const { width } = await message.boundingBox();
    assert.ok(width > 220, `the message is only ${width} px wide`);
    assert.ok(await fitsWidth(page));
  }));

test('Home says what needs attention, and gives away the address that was set', () =>
  withPage(signedOut, async (page) => {
    await signIn(page, '/admin/');
    const concern = page.locator('.concern[data-id=url]');
    await concern.getByText(/does not know its public address/).waitFor();
    await page.getByText(`${server.http}/hls/stream.m3u8`).waitFor();
    await page.getByText(/ of .* free$/).waitFor();
    try {
      await admin.set('serverurl', 'https://live.example.org');
      await page.reload();
      await page.getByText('https://live.example.org/hls/stream.m3u8').waitFor();
      await page.getByText(/^rtmp:\/\/live\.example\.org/).waitFor();
      assert.equal(await concern.count(), 0);
    } finally {
      await admin.set('serverurl', '');
    }
  }));

test('the log can be kept as a file', () =>
  withPage(signedOut, async (page) => {
    await signIn(page, '/admin/logs');
    await page.locator('.log-table tbody tr').first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    assert.match(download.suggestedFilename(), /^rillcast-log-[\d-]+\.txt$/);
    const text = await readFile(await download.path(), 'utf8');
    assert.match(text, /^\d{4}-\d\d-\d\dT\S+ (DEBUG|INFO|WARNING|ERROR) \S/);
  }));

test('a long form keeps its buttons in sight, and one box stands for all events', () =>
  withPage({ ...signedOut, viewport: { width: 900, height: 480 } }, async (page) => {
    await signIn(page, '/admin/webhooks');
    await page.getByRole('button', { name: 'Create a webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    const submit = dialog.getByRole('button', { name: 'Create this webhook' });
    await submit.waitFor();
    assert.ok(await dialog.evaluate((element) => element.scrollHeight > element.clientHeight), 'the form is long');
    assert.ok(await isInSight(submit));
    await dialog.getByRole('checkbox', { name: 'All events' }).check();
    const boxes = dialog.locator('fieldset input[type=checkbox]');
    assert.ok((await boxes.count()) > 5);
    for (const box of await boxes.all()) assert.ok(await box.isChecked());
    await boxes.last().uncheck();
    assert.ok(!(await dialog.getByRole('checkbox', { name: 'All events' }).isChecked()));
  }));

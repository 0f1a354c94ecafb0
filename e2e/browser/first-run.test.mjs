// The first run after the password: the checks, the phone, the broadcasting program, and the first picture.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD } from '../lib/admin.mjs';
import { UNAUTHORIZED, useBrowser } from '../lib/browser.mjs';
import { serverFor } from '../lib/server.mjs';

const withPage = useBrowser();
const signedOut = { allow: [UNAUTHORIZED] };

async function answer(page, server) {
  await page.goto(server.setupUrl);
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByLabel('Repeat the password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Next: the address' }).click();
  await page.getByRole('heading', { level: 1, name: 'Can viewers reach you?' }).waitFor();
}

const verdict = (page, check) => page.locator(`.setup-check[data-check=${check}]`).getAttribute('data-verdict');

test('the chat is closed and says why until the setup is done', async (t) => {
  const server = await serverFor(t);
  await withPage({}, async (viewer) => {
    await viewer.goto(server.http);
    await viewer.getByText('It opens once the operator has finished setting up this server.').waitFor();
    await withPage(signedOut, (page) => answer(page, server));
    await viewer.locator('.chat-closed').waitFor({ state: 'detached' });
  });
});

test('the address is checked, and the way goes on where a reload left it', async (t) => {
  const server = await serverFor(t);
  await withPage(signedOut, async (page) => {
    await answer(page, server);
    await page.locator('.setup-check[data-check=socket][data-verdict=good]').waitFor();
    assert.equal(await verdict(page, 'address'), 'warning', 'there is no server URL yet');
    assert.equal(await verdict(page, 'encryption'), 'warning', 'this machine needs no https');
    await page.getByText('This address works on this machine alone.').waitFor();
    assert.equal(await page.locator('.qr-code').count(), 0, 'no phone could open it');
    // Another name than the one this page was opened with: it is asked whether it answers.
    const named = server.http.replace('127.0.0.1', 'localhost');
    await page.getByLabel('Server URL').fill(named);
    await page.getByLabel('Server URL').press('Enter');
    await page.locator('.setup-check[data-check=address][data-verdict=good]').waitFor();
    await page.getByRole('link', { name: `${named}/` }).waitFor();
    await page.getByRole('button', { name: 'Next: your first stream' }).click();
    await page.getByText('Waiting for your stream…').waitFor();
    await page.reload();
    await page.getByText('Waiting for your stream…').waitFor();
    await page.goto(server.setupUrl);
    await page.getByText('Waiting for your stream…').waitFor();
    await page.getByRole('button', { name: 'Do this later' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  });
});

test('the first picture appears where the page waits for it', async (t) => {
  const server = await serverFor(t, { args: ['demo'] });
  await withPage(signedOut, async (page) => {
    await answer(page, server);
    await page.getByRole('button', { name: 'Next: your first stream' }).click();
    await page.getByText('Your stream is here').waitFor();
    await page
      .locator('.setup-arrival .facts')
      .getByText(/bit\/s/)
      .waitFor();
    const video = page.frameLocator('.setup-picture iframe').locator('video');
    await video.waitFor({ state: 'attached' });
    await page.waitForFunction(() => {
      const frame = document.querySelector('.setup-picture iframe');
      return frame?.contentDocument?.querySelector('video')?.videoWidth > 0;
    });
  });
});

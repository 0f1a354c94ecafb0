import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, setUp } from '../lib/admin.mjs';
import { UNAUTHORIZED, useBrowser } from '../lib/browser.mjs';
import { startServer } from '../lib/server.mjs';

const withPage = useBrowser();
const signedOut = { allow: [UNAUTHORIZED] };

async function withServer(options, body) {
  const server = await startServer(options);
  try {
    await body(server);
  } finally {
    await server.stop();
  }
}

test('before the setup the admin pages point to the link on the console', () =>
  withServer({}, (server) =>
    withPage(signedOut, async (page) => {
      await page.goto(`${server.http}/admin/`);
      await page.getByRole('heading', { name: 'Finish the setup' }).waitFor();
    }),
  ));

test('the setup link sets a password, leads on and is refused the second time', () =>
  withServer({}, async (server) => {
    await withPage(signedOut, async (page) => {
      await page.goto(server.setupUrl);
      await page.getByLabel('Name').fill('Brook Radio');
      assert.equal(await page.getByLabel('Server URL').inputValue(), '', 'a loopback address is nobody’s public one');
      await page.getByLabel('New password').fill(PASSWORD);
      await page.getByLabel('Repeat the password').fill('something else');
      await page.getByRole('button', { name: 'Next: the address' }).click();
      await page.getByText('The passwords do not match.').waitFor();
      await page.getByLabel('Repeat the password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Next: the address' }).click();
      await page.getByRole('heading', { level: 1, name: 'Can viewers reach you?' }).waitFor();
      assert.equal(page.url(), `${server.http}/admin/setup/address`, 'the token is gone from the address');
      await page.goto(server.http);
      await page.locator('#global-header-text').getByText('Brook Radio').waitFor();
    });
    await withPage(signedOut, async (page) => {
      await page.goto(server.setupUrl);
      await page.getByRole('heading', { name: 'This setup link no longer works' }).waitFor();
      await page.getByRole('button', { name: 'Go to sign in' }).click();
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    });
  }));

test('a wrong link is refused at once, and the right one works when it is pasted after it', () =>
  withServer({}, (server) =>
    withPage(signedOut, async (page) => {
      await page.goto(`${server.http}/admin/setup#not-the-token`);
      await page.getByText('A setup link works only once').waitFor();
      await page.evaluate((hash) => {
        location.hash = hash;
      }, new URL(server.setupUrl).hash);
      await page.getByLabel('New password').waitFor();
    }),
  ));

test('a setting given from outside is shown locked with its origin', () =>
  withServer({ env: { RILLCAST_NAME: 'Locked' } }, async (server) => {
    await setUp(server);
    await withPage(signedOut, async (page) => {
      await page.goto(`${server.http}/admin/config/general`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      const field = page.locator('.setting[data-key=name]');
      await field.getByText(/set by .*RILLCAST_NAME/).waitFor();
      assert.ok(await field.getByLabel('Name').isDisabled());
      assert.equal(await field.getByLabel('Name').inputValue(), 'Locked');
    });
  }));

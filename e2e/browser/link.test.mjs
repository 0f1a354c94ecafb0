// A flood of guesses keeps new browsers out, and the operator comes in by a link from the console.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, setUp } from '../lib/admin.mjs';
import { UNAUTHORIZED, useBrowser } from '../lib/browser.mjs';
import { rillcast } from '../lib/command.mjs';
import { serverFor } from '../lib/server.mjs';

const withPage = useBrowser();

async function linkOf(server) {
  const { host } = new URL(server.http);
  const made = await rillcast(['admin', 'session', '--data-dir', server.dataDir, '--listen', host]);
  assert.equal(made.code, 0, made.stderr);
  return made.stdout.trim();
}

/** A try from another address, as a proxy reports it. */
function guess(server, password, address) {
  const headers = { 'X-Forwarded-For': address, 'Content-Type': 'application/json' };
  return fetch(`${server.http}/api/admin/session`, { method: 'POST', headers, body: JSON.stringify({ password }) });
}

test('a link from the console signs one browser in while others guess, and then never again', async (t) => {
  const server = await serverFor(t, { args: ['--trusted-proxies', '127.0.0.1'] });
  await setUp(server);
  for (let last = 1; last < 10; last += 1) await guess(server, 'a wrong guess', `192.0.2.${last}`);
  assert.equal((await guess(server, PASSWORD, '198.51.100.1')).status, 429, 'a new address has to wait');

  const link = await linkOf(server);
  assert.ok(link.startsWith(`${server.http}/admin/session#`), link);
  await withPage({ allow: [UNAUTHORIZED] }, async (page, context) => {
    await page.goto(link);
    await page.getByRole('navigation').first().waitFor();
    assert.equal(new URL(page.url()).hash, '', 'the secret has left the address bar');
    const names = (await context.cookies()).map(({ name }) => name).sort();
    assert.deepEqual(names, ['rillcast_admin', 'rillcast_device']);
  });
  await withPage({ allow: [UNAUTHORIZED] }, async (page) => {
    await page.goto(link);
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
    await page.getByRole('link', { name: 'Sign in with the password' }).click();
    await page.getByLabel('Password').waitFor();
  });
  assert.match(server.logs(), /signed in with a link made on the console/);
});

test('there is no link before there is a password', async (t) => {
  const server = await serverFor(t);
  const early = await rillcast(['admin', 'session', '--data-dir', server.dataDir]);
  assert.equal(early.code, 1);
  assert.match(early.stderr, /not set up yet/);
});

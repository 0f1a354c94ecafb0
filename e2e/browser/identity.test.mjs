// The operator signs in at another site with the address of their server.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { PASSWORD } from '../lib/admin.mjs';
import { UNAUTHORIZED, useBrowser } from '../lib/browser.mjs';
import { startServer } from '../lib/server.mjs';

const withPage = useBrowser();
/** The pair of RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

let server;
let site;
let siteUrl;

before(async () => {
  server = await startServer({ args: ['--admin-password', PASSWORD, '--server-url', 'https://live.example'] });
  site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><link rel="icon" href="data:,"><h1>Back at the site</h1>');
  });
  await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
  siteUrl = `http://127.0.0.1:${site.address().port}`;
});
after(async () => {
  site?.close();
  site?.closeAllConnections();
  await server?.stop();
});

const endpoint = () => `${server.http}/api/auth/provider/indieauth`;

function request() {
  const query = {
    client_id: `${siteUrl}/`,
    redirect_uri: `${siteUrl}/back`,
    state: 'a state',
    code_challenge: CHALLENGE,
  };
  return `${endpoint()}?${new URLSearchParams(query)}`;
}

async function signIn(page) {
  await page.goto(request());
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('whoever is not signed in is asked for the password, then for a yes, and goes back with a code', () =>
  withPage({ allow: [UNAUTHORIZED] }, async (page) => {
    await signIn(page);
    await page.getByRole('heading', { name: 'Sign in elsewhere?' }).waitFor();
    await page.getByText(siteUrl, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Yes, sign in' }).click();
    await page.getByRole('heading', { name: 'Back at the site' }).waitFor();
    const back = new URL(page.url());
    assert.equal(back.origin + back.pathname, `${siteUrl}/back`);
    assert.equal(back.searchParams.get('state'), 'a state');
    const form = {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code'),
      client_id: `${siteUrl}/`,
      redirect_uri: `${siteUrl}/back`,
      code_verifier: VERIFIER,
    };
    const answer = await fetch(endpoint(), { method: 'POST', body: new URLSearchParams(form) });
    assert.equal((await answer.json()).me, 'https://live.example/');
  }));

test('a no goes back without a code', () =>
  withPage({ allow: [UNAUTHORIZED] }, async (page) => {
    await signIn(page);
    await page.getByRole('button', { name: 'No', exact: true }).click();
    await page.getByRole('heading', { name: 'Back at the site' }).waitFor();
    const { searchParams } = new URL(page.url());
    assert.equal(searchParams.get('error'), 'access_denied');
    assert.equal(searchParams.get('code'), null);
  }));

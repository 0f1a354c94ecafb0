// Tokens, webhooks and buttons of the operator's, from the admin pages to those who use them.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { PASSWORD, openFromMenu, setUp } from '../lib/admin.mjs';
import { fitsWidth, UNAUTHORIZED, useBrowser, watchPolicy } from '../lib/browser.mjs';
import { eventually } from '../lib/eventually.mjs';
import { receiverFor } from '../lib/receiver.mjs';
import { startServer } from '../lib/server.mjs';

const withPage = useBrowser();
const signedOut = { allow: [UNAUTHORIZED] };
let server;

before(async () => {
  server = await startServer();
  await setUp(server, { name: 'Brook Radio' });
});
after(() => server?.stop());

async function signIn(page, path) {
  await page.goto(server.http + path);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const isReady = (page) => page.locator('main .skeleton').first().waitFor({ state: 'detached' });
const statusWith = (token) =>
  fetch(`${server.http}/api/integrations/status`, { headers: { Authorization: `Bearer ${token}` } });

test('a token is shown once, works, and stops working when it is revoked', () =>
  withPage(signedOut, async (page, context) => {
    const violations = await watchPolicy(context);
    await signIn(page, '/admin/access-tokens');
    await page.getByText('No tokens yet').waitFor();
    await page.getByRole('button', { name: 'Create a token' }).press('Enter');
    // The first field has the focus: a name can be typed at once.
    await page.keyboard.type('Poll bot');
    await page.getByRole('checkbox', { name: /Read and moderate/ }).press('Space');
    await page.getByRole('button', { name: 'Create this token' }).press('Enter');
    await page.getByText('You will not see it again.').waitFor();
    const secret = await page.locator('.secret-card .copy-field code').first().textContent();
    assert.ok(secret.length >= 20, 'the secret is long');
    const example = await page.locator('.secret-card pre').textContent();
    assert.ok(example.includes(`Bearer ${secret}`) && example.includes('/api/integrations/status'), example);
    assert.equal((await statusWith(secret)).status, 200);

    await page.reload();
    const row = page.getByRole('row', { name: /Poll bot/ });
    await row.waitFor();
    assert.ok(!(await page.content()).includes(secret), 'the secret is gone from the page');

    await page.getByRole('button', { name: 'Revoke: Poll bot' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('No tokens yet').waitFor();
    assert.equal((await statusWith(secret)).status, 401);
    assert.deepEqual(violations, []);
  }));

test('a form that is not complete says what is missing', () =>
  withPage(signedOut, async (page) => {
    await signIn(page, '/admin/access-tokens');
    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByRole('button', { name: 'Create this token' }).click();
    await page.getByText('Give the token a name.').waitFor();
    await page.getByText('Choose at least one permission.').waitFor();
    await page.keyboard.press('Escape');
    const focused = await page.evaluate(() => document.activeElement.textContent);
    assert.equal(focused, 'Create a token', 'the focus is where it was');
  }));

test('a webhook is created, tested, seen to arrive, switched off and deleted', async (t) => {
  const receiver = await receiverFor(t);
  await withPage(signedOut, async (page, context) => {
    const violations = await watchPolicy(context);
    await signIn(page, '/admin/webhooks');
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    await page.getByLabel('Address of the receiver').fill(receiver.url);
    await page.getByRole('checkbox', { name: /Chat messages/ }).check();
    await page.getByRole('switch', { name: 'May reach addresses inside my network' }).check();
    await page.getByText('Only for an address you trust').waitFor();
    await page.getByRole('button', { name: 'Create this webhook' }).click();
    await page.getByText('You will not see it again.').waitFor();
    const secret = await page.locator('.secret-card .copy-field code').first().textContent();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    assert.ok(!(await page.content()).includes(secret), 'the secret is gone from the page');

    await page.getByRole('button', { name: 'Send test' }).click();
    const line = page.locator('.data-table tr[data-state=delivered]');
    await line.getByText('Status 200').waitFor();
    await line.getByText('Test', { exact: true }).waitFor();
    await line.getByText('Show the response').click();
    await line.getByText('thank you').waitFor();

    const [request] = await eventually(() => {
      assert.equal(receiver.requests.length, 1);
      return receiver.requests;
    });
    assert.equal(JSON.parse(request.body).type, 'CHAT');
    const [, time, signature] = /^t=(\d+)\.s=([0-9a-f]+)$/.exec(request.headers['rillcast-signature']);
    assert.equal(signature, createHmac('sha256', secret).update(`${time}.${request.body}`).digest('hex'));

    await page.getByRole('button', { name: /^Turn off/ }).click();
    await page.getByText('Off', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Turn on again' }).click();
    await page.getByText('Active', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No webhooks yet').waitFor();
    assert.deepEqual(violations, []);
  });
});

test('buttons of the operator’s appear below the player and open what they say', async (t) => {
  const elsewhere = await receiverFor(t);
  await withPage(signedOut, async (page, context) => {
    await signIn(page, '/admin/external-actions');
    const add = async (title, kind, label, value) => {
      await page.getByRole('button', { name: 'Add an action' }).click();
      await page.getByLabel('Text on the button').fill(title);
      await page.getByRole('radio', { name: kind }).check();
      await page.getByLabel(label).fill(value);
      await page.getByRole('button', { name: 'Add this action' }).click();
      await page.locator('.action-row strong').getByText(title, { exact: true }).waitFor();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await add('Shop', /new tab/, 'Address', elsewhere.url);
    await add('Questions', /page over the stream/, 'Address', elsewhere.url);
    await add(
      'Support us',
      /your own text/,
      'Text (HTML)',
      '<h3>Thank you</h3><script>document.title = "hurt"</script>',
    );
    await page.getByRole('button', { name: 'Move up: Support us' }).press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();

    const violations = await watchPolicy(context);
    await page.goto(server.http);
    const buttons = page.locator('.action-buttons li');
    await buttons.first().waitFor();
    assert.deepEqual(await buttons.allTextContents(), ['Share', 'Shop', 'Support us', 'Questions']);

    const tab = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Shop' }).click();
    assert.equal((await tab).url(), elsewhere.url);

    await page.getByRole('button', { name: 'Support us' }).click();
    await page.getByRole('dialog').getByText('Thank you').waitFor();
    assert.notEqual(await page.title(), 'hurt');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Questions' }).click();
    await page.frameLocator('iframe[title=Questions]').getByText('A page from elsewhere').waitFor();
    assert.ok(await fitsWidth(page));
    assert.deepEqual(violations, []);
  });
});

test('every new page opens on a phone without being wider than it', () =>
  withPage({ ...signedOut, viewport: { width: 320, height: 700 } }, async (page) => {
    await signIn(page, '/admin/');
    for (const name of [
      ...['Access tokens', 'Webhooks', 'External actions'],
      ...['Viewers', 'Hardware', 'Stream health', 'Past streams', 'Logs'],
    ]) {
      await page.getByRole('button', { name: 'Menu' }).press('Enter');
      await openFromMenu(page, name);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page.locator('main .card').first().waitFor();
      await isReady(page);
      assert.equal(await page.getByText('This could not be loaded').count(), 0, `${name} is loaded`);
      assert.ok(await fitsWidth(page), `${name} fits`);
    }
  }));

test('names known from similar servers lead to the page', () =>
  withPage(signedOut, async (page) => {
    await signIn(page, '/admin/config-video');
    await page.getByRole('heading', { level: 1, name: 'Video' }).waitFor();
    for (const [path, title, address] of [
      ['/admin/config-video', 'Video', '/admin/config/video'],
      ['/admin/config/general/', 'General', '/admin/config/general'],
      ['/admin/viewer-info/', 'Viewers', '/admin/viewer-info'],
      ['/admin/hardware-info/', 'Hardware', '/admin/hardware-info'],
      ['/admin/stream-health', 'Stream health', '/admin/stream-health'],
      ['/admin/federation/followers/', 'Followers', '/admin/federation/followers'],
    ]) {
      await page.goto(server.http + path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      assert.equal(new URL(page.url()).pathname, address);
    }
  }));

test('the log can be searched and held still', () =>
  withPage(signedOut, async (page) => {
    await signIn(page, '/admin/logs');
    await page.locator('.log-table tbody tr').first().waitFor();
    await page.getByLabel('Search logs').fill('no line says this');
    await page.getByText('No matching lines').waitFor();
    await page.getByLabel('Search logs').fill('');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
  }));

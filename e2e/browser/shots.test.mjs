// Walks through every page once: no page may break the content security policy, and each leaves a picture.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PASSWORD, openFromMenu, setUp } from '../lib/admin.mjs';
import { shot, UNAUTHORIZED, useBrowser, watchPolicy } from '../lib/browser.mjs';
import { startServer } from '../lib/server.mjs';

const withPage = useBrowser();
const DESKTOP = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };
let fresh;
let server;

before(async () => {
  fresh = await startServer();
  server = await startServer();
  const admin = await setUp(server, { name: 'Brook Radio' });
  await admin.set('serversummary', 'Slow television from a small river: walks, weather, and now and then a guest.');
  await admin.set('tags', ['slowtv', 'nature', 'music']);
  await admin.set('offlinemessage', 'Back on **Friday at 20:00**. Bring tea.');
  await admin.set(
    'pagecontent',
    '## What happens here\n\nEvery Friday we walk along the river and show what we find.\n\n- no talking before the first bend\n- questions at the bridge\n\nMore on [our site](https://brook.example/).',
  );
  await admin.set('socialhandles', [
    { platform: 'github', url: 'https://github.com/brook' },
    { platform: 'mastodon', url: 'https://social.example/@brook' },
  ]);
});
after(() => Promise.all([fresh?.stop(), server?.stop()]));

for (const colorScheme of ['light', 'dark']) {
  for (const [device, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    test(`the viewer page on a ${device} in ${colorScheme} colours breaks no policy`, () =>
      withPage({ colorScheme, viewport }, async (page, context) => {
        const violations = await watchPolicy(context);
        await page.goto(server.http);
        if (device === 'phone') {
          await page.locator('#chat-container[data-state=open]').waitFor();
          await shot(page, `viewer-${device}-chat-${colorScheme}`);
          await page.getByRole('tab', { name: 'About' }).click();
        }
        await page.locator('#custom-page-content').waitFor();
        await page.evaluate(() => document.fonts.ready);
        await shot(page, `viewer-${device}-${colorScheme}`);
        assert.deepEqual(violations, []);
      }));
  }

  test(`the admin pages in ${colorScheme} colours break no policy`, () =>
    withPage({ colorScheme, viewport: DESKTOP, allow: [UNAUTHORIZED] }, async (page, context) => {
      const violations = await watchPolicy(context);
      await page.goto(fresh.setupUrl);
      await page.getByLabel('New password').fill('a river runs');
      await shot(page, `setup-${colorScheme}`);
      await page.goto(`${server.http}/admin/`);
      await page.getByLabel('Password').waitFor();
      await shot(page, `login-${colorScheme}`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      for (const [name, title] of [
        ['home', 'Home'],
        ['general', 'General'],
        ['appearance', 'Appearance'],
        ['server', 'Server'],
        ['viewers', 'Viewers'],
        ['tokens', 'Access tokens'],
        ['webhooks', 'Webhooks'],
        ['actions', 'External actions'],
        ['health', 'Stream health'],
        ['hardware', 'Hardware'],
        ['logs', 'Logs'],
      ]) {
        await openFromMenu(page, title);
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
        await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
        await shot(page, `${name}-${colorScheme}`);
      }
      await page.setViewportSize(PHONE);
      await page.getByRole('button', { name: 'Menu' }).click();
      await openFromMenu(page, 'General');
      await page.getByRole('heading', { level: 1, name: 'General' }).waitFor();
      await shot(page, `general-phone-${colorScheme}`);
      assert.deepEqual(violations, []);
    }));
}

// What the server says reaches people in their language: notices in the chat, and refused settings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD } from '../lib/admin.mjs';
import { useBrowser } from '../lib/browser.mjs';
import { NO_FLOOD_PROTECTION, openChat } from '../lib/chat-page.mjs';
import { serverFor } from '../lib/server.mjs';

const withPage = useBrowser();
const BLOCKED = ['--set', 'chat_forbidden_words=turnip'];
const ARGS = ['--admin-password', PASSWORD, ...NO_FLOOD_PROTECTION, ...BLOCKED];

async function refused(page, field, text) {
  await page.getByRole('textbox', { name: field }).fill('a turnip');
  await page.getByRole('textbox', { name: field }).press('Enter');
  await page.locator('#chat-container .is-notice', { hasText: text }).waitFor();
}

test('a refused message is explained in German to a German browser, and in English to others', async (t) => {
  const server = await serverFor(t, { args: ARGS });
  await withPage({ locale: 'de-DE' }, async (page) => {
    await openChat(page, server.http);
    await refused(page, 'Nachricht schreiben', 'Deine Nachricht enthält ein gesperrtes Wort: „turnip“.');
    assert.equal(await page.evaluate(() => document.documentElement.dir), 'ltr');
  });
  await withPage({}, async (page) => {
    await openChat(page, server.http);
    await refused(page, 'Send a message', 'Your message contains a blocked word: “turnip”.');
  });
});

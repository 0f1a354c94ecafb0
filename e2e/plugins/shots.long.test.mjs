// The plugins' pages of a server with some, in every state. Each view leaves a picture, fits its window and breaks no
// policy.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { after, before, test } from 'node:test';
import { setUp } from '../lib/admin.mjs';
import { fitsWidth, shot, UNAUTHORIZED, useBrowser, watchPolicy } from '../lib/browser.mjs';
import { join } from '../lib/chat.mjs';
import { eventually } from '../lib/eventually.mjs';
import { startServer } from '../lib/server.mjs';
import { NO_FLOOD_PROTECTION } from '../lib/chat-page.mjs';
import { pluginAdminOf } from './lib/plugin-admin.mjs';
import { exampleOf, packageOf } from './lib/packages.mjs';
import { NOTES, openTab, signIn } from './lib/pages.mjs';

const SIZES = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } };
/** Two looks of the page at the plugins, five seconds apart, make a line. */
const CHART_DEADLINE_MS = 30_000;

const withPage = useBrowser();
let server;

const GRUMBLER = `
from service_plugin import plugin
@plugin.on_chat_message
def hear(msg):
    for word in msg.body.split():
        greet(word)

def greet(word):
    while True: pass
`;

const INSTRUCTIONS = `# Weather letter

Writes once a day about the weather along the river.

1. Get a key at [the weather office](https://weather.example/keys).
2. Put it into *Settings*.

> Without a key it stays silent.

\`\`\`
!weather mill
\`\`\`
`;

const NEWSLETTER = (more) => ({
  slug: 'weather-letter',
  name: 'Weather letter',
  description: 'Asks the weather office and tells the chat.',
  permissions: ['chat.send', 'network.fetch', ...more],
  network: { allowedHosts: ['api.weather.example', '*.river.example'] },
  config: {
    apiKey: { type: 'string', default: '', description: 'Key of the weather office' },
    everyMinutes: { type: 'number', default: 60, description: 'Minutes between two letters' },
    quiet: { type: 'boolean', default: true, description: 'Only while the stream is live' },
  },
});

before(async () => {
  server = await startServer({ args: NO_FLOOD_PROTECTION });
  const pluginAdmin = pluginAdminOf(server, await setUp(server, { name: 'Brook Radio' }));
  for (const name of ['dice', 'song-wishes']) await pluginAdmin.install(name, exampleOf(name));
  await pluginAdmin.upload(exampleOf('word-shield'));
  await pluginAdmin.install('notes', packageOf(NOTES.manifest, NOTES.code, NOTES.files));
  const files = { 'INSTRUCTIONS.md': INSTRUCTIONS };
  await pluginAdmin.install('weather-letter', packageOf(NEWSLETTER([]), '', files));
  const grumbler = { slug: 'grumbler', name: 'Grumbler', description: 'Greets every single word.' };
  await pluginAdmin.install('grumbler', packageOf(grumbler, GRUMBLER));

  const talk = async (name, line, answer) => {
    const person = await join(server, name);
    person.say(line);
    await person.hears(({ type, body }) => type === 'CHAT' && body.includes(answer));
    await person.leave();
  };
  await talk('Marta', '!roll 3d6', 'Marta rolls');
  await talk('Sol', '!wish Here Comes the Sun', 'wishes for');
  await talk('otter-friend', '!wish The Water Is Wide', 'wishes for');
  // Every line ends it, also those before; the fourth time it stays away.
  let line = 0;
  await pluginAdmin.untilEnded('grumbler', 4, () => {
    line += 1;
    return talk(`person ${line}`, `hello ${line}`, `hello ${line}`);
  });
  const newer = packageOf({ ...NEWSLETTER(['fediverse.post', 'users.read']), version: '2.0.0' }, '', files);
  writeFileSync(joinPath(server.dataDir, 'plugins', 'weather-letter.ocpkg'), newer);
  await pluginAdmin.until('weather-letter', ({ pendingPermissions }) => pendingPermissions?.length > 0);
});
after(() => server?.stop());

for (const colorScheme of ['light', 'dark']) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    const isPhone = size === 'phone';
    const options = { colorScheme, viewport, hasTouch: isPhone, isMobile: isPhone };
    const look = async (page, name) => {
      await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
      await shot(page, `plugins-${name}-${size}-${colorScheme}`);
      assert.ok(await fitsWidth(page), `${name} fits`);
    };

    test(`the operator’s pages show plugins well: ${size}, ${colorScheme}`, () =>
      withPage({ ...options, allow: [UNAUTHORIZED] }, async (page, context) => {
        const violations = await watchPolicy(context);
        await signIn(page, server);
        await page.getByRole('link', { name: 'Grumbler' }).waitFor();
        await look(page, 'list');
        await page.getByRole('link', { name: 'Dice' }).click();
        await page.getByRole('cell', { name: '!roll, !dice' }).waitFor();
        await look(page, 'detail');
        await openTab(page, 'Numbers');
        const rate = page.locator('.time-chart', { hasText: 'Calls per minute' }).getByRole('img');
        await rate.waitFor({ timeout: CHART_DEADLINE_MS });
        await look(page, 'detail-numbers');
        await page.locator('.plugin-charts').scrollIntoViewIfNeeded();
        await look(page, 'detail-charts');
        await page.getByRole('button', { name: 'Disable', exact: true }).click();
        await look(page, 'question');
        await page.keyboard.press('Escape');

        await page.goto(`${server.http}/admin/plugins/weather-letter`);
        await page.getByText('Version 2.0.0 asks for more').waitFor();
        await look(page, 'approval');
        await page.getByRole('tabpanel').scrollIntoViewIfNeeded();
        await look(page, 'overview');
        await openTab(page, 'Permissions');
        await page.getByRole('tabpanel').scrollIntoViewIfNeeded();
        await look(page, 'permissions');
        await page.goto(`${server.http}/admin/plugins/grumbler`);
        await page.locator('.plugin-traceback').waitFor();
        await look(page, 'crashed');
        await page.goto(`${server.http}/admin/plugins/song-wishes`);
        await openTab(page, 'Song wishes');
        await page.frameLocator('iframe[title="Song wishes"]').getByText('The Water Is Wide').waitFor();
        await look(page, 'own-page');
        assert.deepEqual(violations, []);
      }));

    test(`viewers see a plugin’s content and tab well: ${size}, ${colorScheme}`, () =>
      withPage(options, async (page, context) => {
        const violations = await watchPolicy(context);
        await page.goto(server.http);
        const look = async (title, text, name) => {
          await page.frameLocator(`iframe[title="${title}"]`).getByText(text).waitFor();
          // It has its height once it is seen.
          const frame = page.locator(`iframe[title="${title}"]`);
          await frame.scrollIntoViewIfNeeded();
          await eventually(() => frame.evaluate((element) => element.style.height !== ''));
          await frame.evaluate((element) => element.scrollIntoView({ block: 'center' }));
          await shot(page, `plugins-viewer-${name}-${size}-${colorScheme}`);
          assert.ok(await fitsWidth(page));
        };
        if (isPhone) await page.getByRole('tab', { name: 'About', exact: true }).click();
        await look('River notes', 'Water level', 'content');
        await page.getByRole('tab', { name: 'Notes' }).click();
        await look('Notes', 'kept apart', 'tab');
        assert.deepEqual(violations, []);
      }));
  }
}

// From nothing to a plugin that answers: an empty folder, the wheel and the server's program are all there is.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setUp } from '../lib/admin.mjs';
import { useBrowser } from '../lib/browser.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { startServer } from '../lib/server.mjs';
import { lines, openChat, NO_FLOOD_PROTECTION, write } from '../lib/chat-page.mjs';
import { pluginAdminOf } from './lib/plugin-admin.mjs';
import { authorIn } from './lib/sdk.mjs';

const withPage = useBrowser();
/** The bot is not in the list of people, and a busy machine takes its time. */
const ANSWER_DEADLINE_MS = 20_000;

let server;
let pluginAdmin;

before(async () => {
  server = await startServer({ args: NO_FLOOD_PROTECTION });
  pluginAdmin = pluginAdminOf(server, await setUp(server, { name: 'Brook Radio' }));
});
after(() => server?.stop());

test('a plugin is begun, tested, packaged and uploaded, and answers in a browser', async (t) => {
  const folder = await scratchFolder(t);
  const author = await authorIn(folder);
  await withPage({}, async (page) => {
    // The viewer is there already, as on a stream that runs.
    await openChat(page, server.http);
    const begun = performance.now();
    await author.does(folder, 'new', 'door-bell');
    const project = join(folder, 'door-bell');
    assert.match(await author.does(project, 'test'), /2\/2 passed/);
    assert.match(await author.does(project, 'package'), /packaged door-bell\.ocpkg/);
    assert.ok(!(await readdir(project)).includes('door-bell.py'), 'the file in between is gone');

    const uploaded = await pluginAdmin.upload(await readFile(join(project, 'door-bell.ocpkg')), 'door-bell.ocpkg');
    assert.equal(uploaded.status, 200, uploaded.text);
    const entry = await pluginAdmin.entry('door-bell');
    assert.equal(entry.enabled, false, 'nothing runs before the operator agrees');
    const enabled = await pluginAdmin.tell('door-bell', 'enable');
    assert.equal(enabled.status, 200, enabled.text);
    await pluginAdmin.until('door-bell', ({ running }) => running);

    await write(page, 'hi everybody');
    await page.locator('#chat-container', { hasText: /Hello, .+!/ }).waitFor({ timeout: ANSWER_DEADLINE_MS });
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    t.diagnostic(`${seconds} s from \`new\` to the answer`);

    const answer = lines(page, 'Hello, ').last();
    assert.match(await answer.innerText(), /Door Bell/, 'the bot has the name of the manifest');
    await write(page, 'what is he playing?');
    // Lines are answered in their order: with the answer to this one, there is none to the line before.
    await write(page, 'hi again');
    await lines(page).last().filter({ hasText: 'Hello, ' }).waitFor({ timeout: ANSWER_DEADLINE_MS });
    assert.equal(await lines(page, 'Hello, ').count(), 2, 'anything else is not answered');
  });
});

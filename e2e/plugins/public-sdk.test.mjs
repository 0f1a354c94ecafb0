// Packages made by the public SDK are installed unchanged and work.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join as joined } from 'node:path';
import { after, before, test } from 'node:test';
import { setUp } from '../lib/admin.mjs';
import { join } from '../lib/chat.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { startServer } from '../lib/server.mjs';
import { NO_FLOOD_PROTECTION } from '../lib/chat-page.mjs';
import { pluginAdminOf } from './lib/plugin-admin.mjs';
import { publicAuthorIn, publicSdk } from './lib/public-sdk.mjs';

const command = await publicSdk();
const skip = command ? false : 'the public SDK cannot be installed here';

let server;
let pluginAdmin;
let person;

before(async () => {
  if (skip) return;
  server = await startServer({ args: NO_FLOOD_PROTECTION });
  pluginAdmin = pluginAdminOf(server, await setUp(server, { name: 'Brook Radio' }));
  person = await join(server, 'Marta');
});
after(() => {
  person?.drop();
  return server?.stop();
});

/** Tests and packages a plugin whose scenarios are those of the template, and has an operator install it. */
async function publish(author, project, slug) {
  assert.match(await author.does(project, 'test'), /^2\/2 passed$/m);
  await author.does(project, 'package');
  await pluginAdmin.install(slug, await readFile(joined(project, `${slug}.ocpkg`)));
  await pluginAdmin.until(slug, ({ running }) => running);
}

const hears = (text) => person.hears(({ body }) => body?.includes(text));

/** Nothing that the plugin was told of has failed, and nothing about its code is odd. */
async function isWell(slug) {
  const { callStats, lastError } = await pluginAdmin.entry(slug);
  assert.deepEqual([callStats.failed, lastError ?? null], [0, null]);
}

test('a plugin of the public SDK is begun, tested, packaged and uploaded, and answers', { skip }, async (t) => {
  const folder = await scratchFolder(t);
  const author = await publicAuthorIn(folder, command);
  await author.does(folder, 'new', 'public-bell');
  await publish(author, joined(folder, 'public-bell'), 'public-bell');
  person.say('hi everyone');
  await hears('hello, Marta!');
  await isWell('public-bell');
  await pluginAdmin.remove('public-bell');
});

test('a plugin of the public SDK may have several files, each of which imports its names', { skip }, async (t) => {
  const folder = await scratchFolder(t);
  const author = await publicAuthorIn(folder, command);
  await author.does(folder, 'new', 'public-parts');
  const project = joined(folder, 'public-parts');
  const manifest = JSON.parse(await readFile(joined(project, 'plugin.manifest.json'), 'utf8'));
  manifest.permissions = ['chat.filter', 'chat.send'];
  await writeFile(joined(project, 'plugin.manifest.json'), JSON.stringify(manifest));
  await writeFile(
    joined(project, 'src', 'plugin.py'),
    `
from answers import answer
from owncast_plugin import plugin

@plugin.on_chat_message
def hear(msg):
    answer(msg)
`,
  );
  await writeFile(
    joined(project, 'src', 'answers.py'),
    `
from owncast_plugin import plugin, owncast, filter

def answer(msg):
    if msg.body.startswith("hi "):
        owncast.chat.send("hello, %s!" % msg.user.display_name)

@plugin.filter_chat_message
def judge(msg):
    return filter.drop("mind your words") if "rude" in msg.body else filter.pass_()
`,
  );
  person.events.length = 0;
  await publish(author, project, 'public-parts');
  person.say('something rude');
  await hears('mind your words');
  person.say('hi again');
  await hears('hello, Marta!');
  assert.ok(!person.events.some(({ body }) => body?.includes('something rude')), 'the line was dropped');
  await isWell('public-parts');
  await pluginAdmin.remove('public-parts');
});

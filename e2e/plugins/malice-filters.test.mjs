// Lines that are written while the plugin whose filter should judge them is busy with something else.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { join } from '../lib/chat.mjs';
import { eventually } from '../lib/eventually.mjs';
import { startScene } from './lib/scene.mjs';
import { silentServer } from './lib/silent-server.mjs';

const TRIES = 10;

let scene;
let speaker;

before(async () => {
  scene = await startScene(['--plugin-allow-private-network']);
  speaker = await join(scene.server, 'Cid');
});
after(() => {
  speaker?.drop();
  return scene?.end();
});

const indented = (lines) => lines.trim().replaceAll(/^/gm, '    ');

/** Drops lines that begin with "bad", marks those that begin with "hello", and does `lines` whenever one was said. */
const busyPlugin = (lines, { permissions = [], manifest = {} } = {}) => ({
  slug: 'busy',
  permissions: ['chat.filter', 'chat.send', ...permissions],
  manifest,
  code: `
import time
from service_plugin import plugin, service, filter

@plugin.filter_chat_message
def judge(msg):
    if msg.body.startswith("bad"):
        return filter.drop("dropped " + msg.body)
    if msg.body.startswith("hello"):
        return filter.modify({"body": msg.body + " (judged)"})
    return filter.pass_()

@plugin.on_chat_message
def hear(msg):
    if not msg.body.startswith("hello"):
        return
    number = msg.body.split()[1]
    service.chat.send("busy " + number)
    work()
    service.chat.send("done " + number)

def work():
${indented(lines)}
`,
});

const COMPUTING = `
end = time.monotonic() + 0.4
while time.monotonic() < end: pass
`;

/** Hears a text in a line of somebody, or in what the server says to the speaker alone. */
const hears = (text) => speaker.hears(({ body }) => body?.includes(text));

/**
 * Says "hello" and, while the plugin works on that, "bad"; so often. `untilBusy` waits until it does, `afterwards` is
 * called when the line was judged. Answers how many of the bad lines were dropped, and how many lines of both kinds went
 * on without the filter.
 */
async function tryLines({ untilBusy = () => {}, afterwards = () => {} } = {}) {
  let dropped = 0;
  let unjudged = 0;
  for (let number = 1; number <= TRIES; number += 1) {
    speaker.say(`hello ${number} again`);
    const { body: hello } = await hears(`hello ${number} `);
    if (!hello.includes('(judged)')) unjudged += 1;
    await hears(`busy ${number}`);
    await untilBusy();
    speaker.say(`bad ${number} again`);
    const { body: bad } = await hears(`bad ${number} `);
    if (bad.includes('dropped')) dropped += 1;
    else unjudged += 1;
    await afterwards();
    await hears(`done ${number}`);
    speaker.events.length = 0;
  }
  return { dropped, unjudged };
}

/** What the filter did is what its plugin's page says, and it costs the plugin nothing. */
async function isTold(slug, unjudged) {
  const { unfilteredLines, running, strikes, callStats } = await scene.pluginAdmin.entry(slug);
  assert.deepEqual([unfilteredLines, running, strikes, callStats.failed], [unjudged, true, 0, 0]);
  await scene.goesOn();
}

test('a filter with an instance of its own judges every line while a handler computes', () =>
  scene.withPlugin(busyPlugin(COMPUTING, { manifest: { filterInstance: 'own' } }), async (slug) => {
    assert.deepEqual(await tryLines(), { dropped: TRIES, unjudged: 0 });
    await isTold(slug, 0);
  }));

test('a filter that shares its instance with a handler that computes misses lines, and they are counted', () =>
  scene.withPlugin(busyPlugin(COMPUTING), async (slug) => {
    const { dropped, unjudged } = await tryLines();
    console.log(`dropped by a filter whose plugin computes: ${dropped} of ${TRIES}`);
    await isTold(slug, unjudged);
  }));

test('a filter judges every line while a handler of the same instance waits for another server', async (t) => {
  const silent = await silentServer(t);
  const fetching = `
try: service.http.fetch("http://${silent.host}/")
except RuntimeError: pass
`;
  const allowed = { permissions: ['network.fetch'], manifest: { network: { allowedHosts: [silent.host] } } };
  await scene.withPlugin(busyPlugin(fetching, allowed), async (slug) => {
    const waits = { untilBusy: () => eventually(() => silent.open() === 1), afterwards: silent.hangUp };
    assert.deepEqual(await tryLines(waits), { dropped: TRIES, unjudged: 0 });
    await isTold(slug, 0);
  });
});

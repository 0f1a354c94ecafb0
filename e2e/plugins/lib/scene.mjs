// One server with people in its chat and a plugin that behaves, which others must not be able to disturb.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setUp } from '../../lib/admin.mjs';
import { join } from '../../lib/chat.mjs';
import { eventually } from '../../lib/eventually.mjs';
import { startServer } from '../../lib/server.mjs';
import { NO_FLOOD_PROTECTION } from '../../lib/chat-page.mjs';
import { pluginAdminOf } from './plugin-admin.mjs';
import { packageOf } from './packages.mjs';

const LISTENERS = ['Ann', 'Bob'];
/** Enough that nobody has to say two things at once. */
const SPEAKERS = 6;

/** Answers as long as it lives, and tells whether it is still the one that began. */
const NEIGHBOUR = `
import json, random
from service_plugin import plugin

born = str(random.getrandbits(64))
heard = 0

@plugin.on_chat_message
def hear(msg):
    global heard
    heard += 1

def well(ctx):
    ctx.reply("well " + ctx.arg_string)

plugin.commands({"well": {"run": well, "description": "Says that it is well"}})

@plugin.get("/")
def state(req):
    return {"headers": {"Content-Type": "application/json"}, "body": json.dumps({"born": born, "heard": heard})}
`;

/** What the process holds by itself; pages of the program and of the engine are the system's to take back. */
export function anonymousKilobytes(pid) {
  return Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/RssAnon:\s+(\d+) kB/)[1]);
}

export async function startScene(args = []) {
  const server = await startServer({ args: [...NO_FLOOD_PROTECTION, ...args] });
  const pluginAdmin = pluginAdminOf(server, await setUp(server, { name: 'Brook Radio' }));
  await pluginAdmin.install(
    'neighbour',
    packageOf({ slug: 'neighbour', permissions: ['chat.send', 'http.serve'] }, NEIGHBOUR),
  );
  const listeners = await Promise.all(LISTENERS.map((name) => join(server, name)));
  const speakers = await Promise.all(
    Array.from({ length: SPEAKERS }, (_, number) => join(server, `speaker ${number}`)),
  );
  let sent = 0;

  /** Somebody says something; resolves once both listeners have heard it as it was written. */
  const say = async (text) => {
    sent += 1;
    // Nobody may say the same thing twice, so each line has a number.
    const line = `${text} ${sent}`;
    speakers[sent % SPEAKERS].say(line);
    const isIt = ({ type, body }) => type === 'CHAT' && body === `<p>${line}</p>`;
    await Promise.all(listeners.map((listener) => listener.hears(isIt)));
    return sent;
  };
  const visitNeighbour = async () => (await fetch(`${server.http}/plugins/neighbour/`)).json();

  /** What everybody else expects of a server, whatever some plugin does: talk, health, and other plugins. */
  const goesOn = async () => {
    const [number, health] = await Promise.all([say('!well'), fetch(`${server.http}/healthz`)]);
    assert.equal(health.status, 200, 'the server answers');
    await health.text();
    const isAnswer = ({ type, body }) => type === 'CHAT' && body === `<p>well ${number}</p>`;
    await Promise.all(listeners.map((listener) => listener.hears(isAnswer)));
    assert.ok(
      listeners.every((listener) => listener.isOpen()),
      'nobody was sent away',
    );
    // What was heard long ago only makes looking for the next line slower.
    for (const client of [...listeners, ...speakers]) client.events.length = 0;
  };
  const before = await visitNeighbour();
  await goesOn();

  return {
    server,
    pluginAdmin,
    say,
    goesOn,
    /** Installs and enables a plugin for the time of `body`, and removes it. */
    withPlugin: async ({ slug, code, permissions = [], manifest = {}, files }, body) => {
      await pluginAdmin.install(slug, packageOf({ slug, permissions, ...manifest }, code, files));
      try {
        await body(slug);
      } finally {
        await pluginAdmin.disable(slug);
        assert.equal((await pluginAdmin.entry(slug)).loaded, false);
        await pluginAdmin.remove(slug);
        assert.equal(await pluginAdmin.entry(slug), undefined);
      }
    },
    /** The neighbour has lived through everything: it is the same instance, and it is told of what happens. */
    neighbourIsTheSame: async () => {
      const now = await visitNeighbour();
      assert.equal(now.born, before.born, 'the neighbour was restarted');
      assert.ok(now.heard > before.heard, 'the neighbour hears of lines');
      const { callStats } = await pluginAdmin.entry('neighbour');
      assert.deepEqual({ failed: callStats.failed, fatal: callStats.fatal }, { failed: 0, fatal: 0 });
    },
    /** Waits until it holds no more than `allowedKilobytes` beyond `before`. */
    memoryReturns: async (kilobytesBefore, allowedKilobytes) => {
      const grown = () => anonymousKilobytes(server.pid) - kilobytesBefore;
      await eventually(() => grown() <= allowedKilobytes).catch(() => assert.fail(`memory grew by ${grown()} kB`));
      return grown();
    },
    end: async () => {
      for (const client of [...listeners, ...speakers]) client.drop();
      return server.stop();
    },
  };
}

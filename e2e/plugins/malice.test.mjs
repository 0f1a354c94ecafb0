// Plugins that mean harm, one after the other on one server where people talk and another plugin works. Each is
// contained and says what happened to it; nobody else notices. How quickly, the benches say.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../lib/eventually.mjs';
import { AT_LOAD, ON_A_LINE, REACHING_OUT } from './lib/hostile.mjs';
import { MALICIOUS_ZIPS } from './lib/malicious-zips.mjs';
import { packageOf } from './lib/packages.mjs';
import { anonymousKilobytes, startScene } from './lib/scene.mjs';
import { silentServer } from './lib/silent-server.mjs';

const SLUG = 'hostile';
const MOST_MEMORY = 64 * 1024 * 1024;
/** Lines until a filter is switched off: five failures in a row, and on a busy machine some lines pass it by. */
const MOST_LINES = 60;
/** What the server may hold more of after everything than before: allocators keep some of what they had. */
const ALLOWED_KB = 32 * 1024;

const LARGE = {
  permissions: ['http.serve'],
  code: `
from service_plugin import plugin
@plugin.get("/large")
def large(req): return "x" * 11_000_000
@plugin.get("/small")
def small(req): return "small"
`,
};

let scene;
let pluginAdmin;
let memoryBefore;

before(async () => {
  scene = await startScene(['--plugin-allow-private-network']);
  pluginAdmin = scene.pluginAdmin;
  // One round first: what comes with the first plugin stays, and so does what the allocator keeps of the first few
  // large answers, some forty megabytes. Neither is a leak.
  await withPlugin(LARGE, async () => {
    for (let visits = 0; visits < 5; visits += 1) await visit('/large');
    await scene.goesOn();
  });
  memoryBefore = anonymousKilobytes(scene.server.pid);
});
after(() => scene?.end());

const withPlugin = (plugin, body) => scene.withPlugin({ slug: SLUG, ...plugin }, body);

const visit = async (path, slug = SLUG) => {
  const response = await fetch(`${scene.server.http}/plugins/${slug}${path}`);
  return { status: response.status, text: await response.text() };
};

describe('what a line of chat sets off is contained', () => {
  for (const { name, error, logged, survives, ...plugin } of ON_A_LINE) {
    test(name, () =>
      withPlugin(plugin, async (slug) => {
        await scene.say('go');
        await scene.goesOn();
        const isOver = error
          ? ({ callStats, lastError }) => callStats.failed >= 1 && error.test(lastError)
          : ({ callStats }) => callStats.total >= 1;
        const entry = await pluginAdmin.until(slug, isOver);
        assert.ok(entry.memoryBytes <= MOST_MEMORY, `it has ${entry.memoryBytes} bytes`);
        if (survives !== 'perhaps') assert.equal(entry.callStats.fatal === 0, survives === true, entry.lastError);
        if (logged) {
          const lines = await pluginAdmin.logs(slug);
          assert.ok(
            lines.some((line) => logged.test(line)),
            lines.slice(-5).join('\n'),
          );
        }
        await pluginAdmin.until(slug, ({ running }) => running);
        await scene.goesOn();
      }),
    );
  }
});

test('a plugin that is ended again and again stays away, says why, and can be brought back', () =>
  withPlugin({ code: ON_A_LINE[0].code }, async (slug) => {
    await pluginAdmin.untilEnded(slug, 4, () => scene.say('go'));
    const crashed = await pluginAdmin.until(slug, ({ running }) => !running);
    assert.equal(crashed.enabled, true);
    assert.match(crashed.lastError, /took longer than 500 ms/);
    await scene.goesOn();
    await pluginAdmin.reload(slug);
    const { running, callStats } = await pluginAdmin.entry(slug);
    assert.deepEqual({ running, fatal: callStats.fatal }, { running: true, fatal: 0 });
  }));

test('a storm of exceptions is counted and ends nothing', () =>
  withPlugin(
    {
      code: `
from service_plugin import plugin
@plugin.on_chat_message
def hear(msg): raise ValueError("on a line")
@plugin.on_tick
def tick(now): raise ValueError("on a tick")
@plugin.on_chat_user_joined
def join(user): raise ValueError("on somebody new")
`,
    },
    async (slug) => {
      for (let line = 0; line < 20; line += 1) await scene.say('hello');
      const entry = await pluginAdmin.until(slug, ({ callStats }) => callStats.failed >= 20);
      assert.deepEqual([entry.callStats.fatal, entry.running], [0, true]);
      assert.match(entry.lastError, /ValueError: on a/);
      await scene.goesOn();
    },
  ));

test('a filter that fails again and again is switched off for a while or until it is loaded again, and the lines are heard', () =>
  withPlugin(
    {
      permissions: ['chat.filter'],
      code: 'from service_plugin import plugin\n@plugin.filter_chat_message\ndef judge(msg): raise ValueError("no")',
    },
    async (slug) => {
      let entry;
      for (let line = 0; line < MOST_LINES && !entry?.autoDisabled; line += 1) {
        await scene.say('hello');
        entry = await pluginAdmin.entry(slug);
      }
      assert.equal(entry.autoDisabled, true, JSON.stringify(entry));
      assert.match(entry.lastError, /ValueError: no/);
      await scene.goesOn();
      await pluginAdmin.reload(slug);
      const again = await pluginAdmin.entry(slug);
      assert.deepEqual([again.running, again.strikes, again.autoDisabled], [true, 0, undefined]);
    },
  ));

test('a plugin that floods the chat does not drown what people say', () =>
  withPlugin(
    {
      permissions: ['chat.send'],
      code: `
from service_plugin import plugin, service
@plugin.on_chat_message
def hear(msg):
    if msg.body.startswith("go"):
        for number in range(10 ** 6): service.chat.send("noise %d" % number)
`,
    },
    async (slug) => {
      await scene.say('go');
      await scene.goesOn();
      await pluginAdmin.until(slug, ({ callStats }) => callStats.total >= 1);
      await scene.goesOn();
      const told = (await pluginAdmin.logs(slug)).filter((line) => line.startsWith('left out lines for the chat'));
      assert.ok(told.length > 0, 'the log says so');
    },
  ));

/** What a plugin may write into the log at once, and in each second after that. */
const LOG_LINES = { atOnce: 400, perSecond: 50 };
const LOG_BYTES = { atOnce: 128 * 1024, perSecond: 32 * 1024 };
/** What lines have before and after their text, and what is said about them. */
const LOG_FACTOR = 2;

test('a plugin that floods the log fills its share of it, and what the server says stays there', async () => {
  const code = `
from service_plugin import plugin, service
def flood():
    for _ in range(200):
        service.log.info("q" * 300)
        print("p" * 300)
for _ in range(64):
    service.timer.set_interval(flood, 100)
`;
  const serverLines = await pluginAdmin.serverLogs();
  assert.ok(serverLines.length > 0, 'the server has said something');
  const lengthBefore = scene.server.logLength();
  const begun = performance.now();
  await withPlugin({ slug: 'flood', code }, async (slug) => {
    await scene.goesOn();
    // 40,000 lines and twelve megabytes, if they were all written.
    const { running } = await pluginAdmin.until(slug, ({ callStats }) => callStats.total >= 100);
    assert.equal(running, true, 'a flood is no crime');
    await scene.goesOn();
    const lines = scene.server
      .logs()
      .split('\n')
      .filter((line) => line.includes(`plugin="${slug}"`));
    const length = scene.server.logLength() - lengthBefore;
    const seconds = (performance.now() - begun) / 1000;
    const most = ({ atOnce, perSecond }) => LOG_FACTOR * (atOnce + perSecond * seconds);
    console.log(`flood of the log: ${lines.length} lines, ${length} characters in ${seconds.toFixed(1)} s`);
    assert.ok(lines.length > 0, 'something of it is in the log');
    assert.ok(lines.length <= most(LOG_LINES), `${lines.length} lines in ${seconds} s`);
    assert.ok(length <= most(LOG_BYTES), `${length} characters in ${seconds} s`);
    const told = await pluginAdmin.logs(slug);
    assert.ok(told.length < 500, 'the page of the log has lines of others');
    const serverLinesNow = await pluginAdmin.serverLogs();
    for (const line of serverLines) assert.ok(serverLinesNow.includes(line), `it is gone: ${line}`);
  });
});

test('an answer that is too large is refused, and the plugin goes on', () =>
  withPlugin(LARGE, async (slug) => {
    const large = await visit('/large');
    assert.equal(large.status, 500, large.text.slice(0, 200));
    assert.ok(large.text.length < 1000, 'nothing of it is sent');
    await scene.goesOn();
    await pluginAdmin.until(slug, ({ running }) => running);
    assert.deepEqual(await visit('/small'), { status: 200, text: 'small' });
  }));

test('nothing outside can be reached', () => {
  const { port } = new URL(scene.server.http);
  const code = REACHING_OUT.replaceAll('{PORT}', port).replaceAll('{DATA}', scene.server.dataDir);
  return withPlugin({ code, permissions: ['http.serve'] }, async () => {
    const { attempts, environment } = JSON.parse((await visit('/')).text);
    assert.deepEqual(environment, {}, 'it sees the environment of somebody');
    assert.ok(attempts.length > 25);
    for (const name of attempts) {
      const { status, text } = await visit(`/try?${new URLSearchParams({ name })}`);
      assert.equal(status, 200, `${name}: ${text}`);
      assert.match(JSON.parse(text), /^(?!SyntaxError|NameError|KeyError)\w+(Error|Exception|gaierror)?: /, name);
    }
    await scene.goesOn();
  });
});

test('a request that is never answered is given up, and taken back when the plugin is disabled', async (t) => {
  const silent = await silentServer(t);
  const code = `
from service_plugin import plugin, service
@plugin.on_chat_message
def hear(msg):
    if msg.body.startswith("go"):
        try:
            service.http.fetch("http://${silent.host}/")
        except RuntimeError as error:
            service.log.warning("gave up: %s" % error)
`;
  const manifest = { network: { allowedHosts: [silent.host] } };
  await withPlugin({ code, permissions: ['network.fetch'], manifest }, async (slug) => {
    await scene.say('go');
    await eventually(() => silent.open() === 1);
    await scene.goesOn();
    const gaveUp = async () => (await pluginAdmin.logs(slug)).find((line) => line.includes('gave up'));
    assert.match(await eventually(gaveUp, { deadlineMs: 30_000 }), /no answer within/);
    await eventually(() => silent.open() === 0);
    assert.equal((await pluginAdmin.entry(slug)).callStats.failed, 0, 'waiting is no failure');
    await scene.say('go');
    await eventually(() => silent.open() === 1);
  });
  await eventually(() => silent.open() === 0);
  await scene.goesOn();
});

test('plugins with the same names inside do not see each other', async () => {
  const twin = (owner, more = '') => ({
    slug: `twin-${owner}`,
    permissions: ['http.serve', 'storage.kv'],
    code: `
import builtins, json, os, random, string, sys, types
from service_plugin import plugin, service

found = "helpers" in sys.modules or hasattr(builtins, "planted") or "PLANTED" in os.environ
helpers = types.ModuleType("helpers")
helpers.owner = "${owner}"
sys.modules["helpers"] = helpers
service.kv.set("owner", "${owner}")
${more}

@plugin.get("/")
def state(req):
    import helpers
    told = [helpers.owner, service.kv.get("owner"), found, string.capwords("a brook"), hasattr(builtins, "planted")]
    return {"body": json.dumps(told + [os.environ.get("PLANTED"), random.random() < 2, len([1, 2])])}
`,
  });
  const patched = `
builtins.planted = True
os.environ["PLANTED"] = "yes"
string.capwords = lambda text: "patched"
random.random = lambda: 7
plugin.planted = service.planted = True
`;
  const clean = (owner) => [owner, owner, false, 'A Brook', false, null, true, 2];
  const told = async (slug) => JSON.parse((await visit('/', slug)).text);
  await withPlugin(twin('b'), (first) =>
    withPlugin(twin('a', patched), async (second) => {
      assert.deepEqual(await told(second), ['a', 'a', false, 'patched', true, 'yes', false, 2]);
      assert.deepEqual(await told(first), clean('b'));
      await pluginAdmin.reload(first);
      assert.deepEqual(await told(first), clean('b'), 'a fresh instance is fresh');
    }),
  );
});

describe('what does harm while it is tried out is refused', () => {
  for (const { name, code, error } of AT_LOAD) {
    test(name, async () => {
      const answer = pluginAdmin.upload(packageOf({ slug: SLUG }, code));
      await scene.goesOn();
      const { status, text } = await answer;
      assert.equal(status, 400, text.slice(0, 500));
      assert.match(JSON.parse(text).error, error);
      assert.equal(await pluginAdmin.entry(SLUG), undefined);
      await scene.goesOn();
    });
  }
});

test('a plugin that waits for its chance does not start a second time', async () => {
  const code = `
from service_plugin import plugin, service
if service.kv.get("armed"):
    while True: pass
@plugin.on_chat_message
def hear(msg): service.kv.set("armed", "yes")
`;
  await withPlugin({ code, permissions: ['storage.kv'] }, async (slug) => {
    await scene.say('go');
    await pluginAdmin.until(slug, ({ callStats }) => callStats.total >= 1);
    const reloading = pluginAdmin.tell(slug, 'reload');
    await scene.goesOn();
    const { status, text } = await reloading;
    // It is ended after five seconds of computing. A machine that needs half a minute for those gives up the request.
    assert.ok(status === 400 || status === 503, `${status} ${text}`);
    await pluginAdmin.until(slug, ({ lastError }) => /took longer than 5000 ms/.test(lastError));
    const { enabled, running } = await pluginAdmin.entry(slug);
    assert.deepEqual([enabled, running], [true, false]);
    await scene.goesOn();
  });
});

describe('a package that lies is refused with a reason', () => {
  for (const [name, make, error] of MALICIOUS_ZIPS) {
    test(name, async () => {
      const { status, text } = await pluginAdmin.upload(make(SLUG));
      assert.equal(status, 400, text.slice(0, 500));
      assert.match(JSON.parse(text).error, error);
      assert.deepEqual(readdirSync(join(scene.server.dataDir, 'plugins')), ['neighbour.ocpkg']);
    });
  }

  test('and people go on talking', () => scene.goesOn());
});

test('after all that the neighbour is the same, memory is given back, and the server stops as it should', async () => {
  await scene.goesOn();
  await scene.neighbourIsTheSame();
  const grown = await scene.memoryReturns(memoryBefore, ALLOWED_KB);
  console.log(`memory_kb before=${memoryBefore} grown=${grown} allowed=${ALLOWED_KB}`);
  assert.equal(await scene.end(), 0);
});

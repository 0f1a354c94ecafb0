// An author's folder with a plugin in it, and `rillcast plugin serve` beside it.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterwards, atExit, scratchFolder } from '../../lib/cleanup.mjs';
import { cleanEnvironment } from '../../lib/server.mjs';

/** The engine may have to be mapped on a busy machine first. */
const START_DEADLINE_MS = 30_000;

/** A bell that keeps count in every way there is, greets, filters and fails. */
export const BELL = `
from service_plugin import filter, plugin, service

@plugin.filter_chat_message
def check(msg):
    return filter.drop("be nice") if "rude" in msg.body else filter.pass_()

@plugin.on_chat_message
def heard(msg):
    if msg.body == "hi":
        service.chat.send("Hello, %s!" % msg.user.display_name)
    if msg.body == "break":
        msg.no.such.thing

def ring(ctx):
    count = int(service.kv.get("rings") or 0) + 1
    service.kv.set("rings", str(count))
    service.sql.exec("CREATE TABLE IF NOT EXISTS rings (id INTEGER PRIMARY KEY, who TEXT, sound TEXT)")
    service.sql.exec("INSERT INTO rings (who, sound) VALUES (?, ?)", [ctx.user.display_name, "ding dong"])
    service.fs.write("log/last.txt", ctx.user.display_name)
    service.log.info("rung %d times" % count)
    ctx.reply("Ding dong! That was ring number %d." % count)

def mute(ctx):
    ctx.reply("Quiet now.")

plugin.commands({
    "ring": {"run": ring, "description": "Ring the bell"},
    "mute": {"run": mute, "description": "Silence it", "mod_only": True},
})

@plugin.on_stream_started
def started(stream):
    service.kv.set("title", stream.title)
    service.chat.system("<b>%s</b> has begun" % stream.title)

@plugin.get("/")
def index(req):
    return "<h1>The bell</h1>"
`;

const MANIFEST = {
  api: '1',
  name: 'Door Bell',
  slug: 'door-bell',
  version: '1.2.0',
  description: 'Rings when somebody asks for it, and keeps count.',
  permissions: ['chat.filter', 'chat.send', 'http.serve', 'storage.fs', 'storage.kv', 'storage.sql', 'ui.modify'],
  actions: [{ title: 'Bell', url: '/plugins/door-bell/' }],
};

/** The dev server has answered to the last line. */
export const idle = (page) => page.locator('#say:not([aria-busy])').waitFor();

/** Types a line into the author's page, which takes one at a time. */
export async function say(page, text) {
  await idle(page);
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

/**
 * Serves a plugin until test `t` has ended.
 * `write` changes one of its files, as saving it in an editor does.
 */
export async function devServerFor(t, code = BELL) {
  const folder = await scratchFolder(t);
  const write = (name, text) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write('plugin.manifest.json', JSON.stringify(MANIFEST));
  write('src/plugin.py', code);
  const binary = process.env.RILLCAST_BIN;
  if (!binary) throw new Error('set RILLCAST_BIN to the path of the rillcast binary');
  const child = spawn(binary, ['plugin', 'serve', '-p', '0'], {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const forget = atExit(() => child.kill('SIGKILL'));
  afterwards(t, async () => {
    child.kill('SIGTERM');
    await ended;
    forget();
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors = (errors + text).slice(-100_000);
  });
  const first = createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const late = new Promise((resolve) => setTimeout(resolve, START_DEADLINE_MS).unref());
  const line = (await Promise.race([first, late]))?.value;
  const http = line?.match(/http:\/\/[^/]+/)?.[0];
  if (!http) throw new Error(`the dev server did not start: ${line}\n${errors}`);
  return { http, write, errors: () => errors };
}

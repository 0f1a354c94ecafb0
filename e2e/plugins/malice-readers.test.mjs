// People who ask a plugin for much and read none of it: what waits for them is bounded, and nobody else notices.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { afterwards } from '../lib/cleanup.mjs';
import { eventually } from '../lib/eventually.mjs';
import { anonymousKilobytes, startScene } from './lib/scene.mjs';

const SLUG = 'fire-hose';
/** What would wait for them is many times what may wait. */
const READERS = process.env.RILLCAST_RING === 'all' ? 24 : 8;
/** Frames of a mebibyte each after every one who comes: about what the system's buffers take for one. */
const FRAMES = 4;
/** As many large answers have no place. */
const ASKERS = 8;
/** So often more in the end, so that frames wait for the last ones too. */
const MORE = 3;
/** 16 MiB may wait for all readers of one plugin; the rest is what allocators keep. */
const ALLOWED_KB = 40 * 1024;
/** What the server may hold more of when the readers are gone. */
const ALLOWED_AFTER_KB = 32 * 1024;

const HOSE = {
  slug: SLUG,
  permissions: ['http.serve', 'http.sse'],
  code: `
from service_plugin import plugin, service

sent = gone = 0

@plugin.on_sse_disconnect
def left(connection):
    global gone
    gone += 1

@plugin.get("/send")
def send(req):
    global sent
    service.sse.send("hose", "water", "w" * (1024 * 1024))
    sent += 1
    return str(sent)

@plugin.get("/gone")
def tell_gone(req): return str(gone)

@plugin.get("/large")
def large(req): return "w" * 9_500_000
`,
};

let scene;

before(async () => {
  scene = await startScene();
});
after(() => scene?.end());

const visit = async (path) => {
  const response = await fetch(`${scene.server.http}/plugins/${SLUG}${path}`);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text;
};

/** How many frames were sent in all, after as many as a reader is worth; in a call for each, as calls have little time. */
async function send() {
  for (let frame = 1; frame < FRAMES; frame += 1) await visit('/send');
  return Number(await visit('/send'));
}

/** Asks for a page of the plugin, and reads no more than the beginning of the answer; `leave` ends it. */
async function slowReader(t, path) {
  const { hostname, port, host } = new URL(scene.server.http);
  const socket = connect({ host: hostname, port: Number(port) });
  afterwards(t, () => socket.destroy());
  socket.on('error', () => {});
  socket.write(`GET /plugins/${SLUG}${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const beginning = await new Promise((resolve, reject) => {
    socket.once('data', (bytes) => {
      socket.pause();
      resolve(bytes.toString('latin1'));
    });
    socket.once('close', () => reject(new Error('it was closed before it was answered')));
  });
  const [, status] = beginning.match(/^HTTP\/1\.1 (\d+) /) ?? assert.fail(beginning);
  return { status: Number(status), leave: () => socket.destroy() };
}

/** How many kilobytes more than now the server has held at most whenever `look` was called. */
function memoryWatch() {
  const before = anonymousKilobytes(scene.server.pid);
  let most = 0;
  const look = () => {
    most = Math.max(most, anonymousKilobytes(scene.server.pid) - before);
  };
  return { before, look, most: () => most };
}

/** The plugin is as well as before, what the readers held is given back, and people talk. */
async function isOver(memory) {
  console.log(`readers=${READERS} memory_kb before=${memory.before} most=${memory.most()} allowed=${ALLOWED_KB}`);
  const { running, callStats } = await scene.pluginAdmin.entry(SLUG);
  assert.deepEqual([running, callStats.fatal], [true, 0]);
  assert.ok(memory.most() <= ALLOWED_KB, `memory grew by ${memory.most()} kB`);
  await scene.memoryReturns(memory.before, ALLOWED_AFTER_KB);
  await scene.goesOn();
  await scene.neighbourIsTheSame();
}

test('those who listen to a plugin and read nothing hold little memory, and none when they have left', (t) =>
  scene.withPlugin(HOSE, async () => {
    // What the plugin itself needs for a frame stays with it.
    await send();
    await scene.goesOn();
    const memory = memoryWatch();
    const readers = [];
    // One after the other: those who listen at the same time wait for the same frames, which are kept once.
    for (let round = 1; round <= READERS + MORE; round += 1) {
      if (round <= READERS) readers.push(await slowReader(t, '/_sse/hose'));
      assert.equal(await send(), (round + 1) * FRAMES, 'the plugin was restarted');
      memory.look();
      if (round % 8 === 0) await scene.goesOn();
    }
    assert.ok(readers.every(({ status }) => status === 200));
    for (const reader of readers) reader.leave();
    await eventually(async () => Number(await visit('/gone')) === READERS);
    await isOver(memory);
  }));

test('those who ask a plugin for large answers and read none hold little memory, and none when they have left', (t) =>
  scene.withPlugin(HOSE, async () => {
    await visit('/large');
    await scene.goesOn();
    const memory = memoryWatch();
    const readers = [];
    for (let number = 1; number <= ASKERS; number += 1) {
      readers.push(await slowReader(t, '/large'));
      memory.look();
      if (number % 8 === 0) await scene.goesOn();
    }
    const statuses = readers.map(({ status }) => status);
    assert.ok(
      statuses.every((status) => status === 200 || status === 503),
      `${statuses}`,
    );
    assert.ok(statuses.includes(503), 'what has no place is refused');
    for (const reader of readers) reader.leave();
    // Whoever reads is answered again.
    await eventually(() => visit('/large'));
    await isOver(memory);
  }));

// Publishers without a key that are half open, slow or send garbage: they get a few places for a few seconds, and everybody
// else goes on.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import { untilState } from '../lib/broadcast.mjs';
import { SET_UP } from '../lib/admin.mjs';
import { join, sayAndHear } from '../lib/chat.mjs';
import { afterwards } from '../lib/cleanup.mjs';
import { eventually } from '../lib/eventually.mjs';
import { untilPlaylist, untilSegments } from '../lib/hls.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor } from '../lib/server.mjs';
import { NO_FLOOD_PROTECTION } from '../lib/chat-page.mjs';

const IS_LONG = process.env.RILLCAST_RING === 'all';
const CROWD = IS_LONG ? 1000 : 200;
/** They come from this many addresses, so that the limit of all together is reached and not only that of each. */
const ADDRESSES = 250;
/** Who is sent away comes back after this long. */
const AGAIN_MS = IS_LONG ? 1000 : 250;
/** A place can be kept for five seconds; who is sent away after about as long had one and let the time pass. */
const LOITERED_MS = 4500;
const CONNECTION_SLOTS = 32;
const DRIP_MS = 500;
const MAX_GROWTH_KB = 32 * 1024;
/** Sockets of the server beyond those before: its places for strangers, and some that are just being closed. */
const MAX_MORE_FILES = CONNECTION_SLOTS + 40;
const LINES = IS_LONG ? 20 : 5;
/** Visits from one line to the next, on average by each of the crowd. */
const VISITS = 2;
/** Only that the list goes on counts here, so its segments come more often than they last. */
const SPEED = 4;

const HELLO = Buffer.concat([Buffer.from([3]), Buffer.alloc(1536)]);
const GREETED = Buffer.concat([HELLO, Buffer.alloc(1536)]);
/** What each kind says at once, and whether it drips afterwards. */
const KINDS = [
  { opening: Buffer.alloc(0) },
  { opening: HELLO.subarray(0, 700) },
  { opening: HELLO.subarray(0, 1), drips: true },
  { opening: GREETED, drips: true },
  { opening: randomBytes(4000) },
  { opening: Buffer.concat([GREETED, randomBytes(4000)]) },
  // A message of 16 MiB is announced.
  { opening: Buffer.concat([GREETED, Buffer.from('03000000ffffff1400000000', 'hex')]), drips: true },
];

function crowdFor(t, port) {
  let isOver = false;
  const sockets = new Set();
  const timers = new Set();
  const counted = { tried: 0, sentAway: 0, loitered: 0 };
  const later = (ms, work) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (!isOver) work();
    }, ms);
    timers.add(timer);
  };
  const come = (number) => {
    counted.tried += 1;
    const { opening, drips } = KINDS[number % KINDS.length];
    const localAddress = `127.0.1.${1 + (number % ADDRESSES)}`;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    const came = Date.now();
    sockets.add(socket);
    // Being cut off in the middle of a write is what is expected here.
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      counted.sentAway += 1;
      if (Date.now() - came >= LOITERED_MS) counted.loitered += 1;
      later(AGAIN_MS, () => come(number));
    });
    socket.on('connect', () => {
      socket.resume();
      if (opening.length > 0) socket.write(opening);
      const drip = () => {
        if (socket.destroyed) return;
        socket.write(Buffer.alloc(1));
        later(DRIP_MS, drip);
      };
      if (drips) later(DRIP_MS, drip);
    });
  };
  const end = () => {
    isOver = true;
    for (const timer of timers) clearTimeout(timer);
    for (const socket of sockets) socket.destroy();
  };
  afterwards(t, end);
  for (let number = 0; number < CROWD; number += 1) come(number);
  return { counted, end };
}

const residentKilobytes = (pid) => Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/)[1]);
const openFiles = (pid) => readdirSync(`/proc/${pid}/fd`).length;

test(`${CROWD} strangers who are half open, slow or send garbage stop nobody and leave nothing behind`, async (t) => {
  const server = await serverFor(t, { args: [...SET_UP, ...NO_FLOOD_PROTECTION] });
  const publisher = publisherFor(t, server, { speed: SPEED });
  await untilState(server, 'live');
  const talker = await join(server, 'talker');
  await sayAndHear(talker, 'before');
  // The window is full, so that the stream itself does not grow any more.
  const full = await untilSegments(server, 6, { deadlineMs: 40_000 });
  const [memory, files] = [residentKilobytes(server.pid), openFiles(server.pid)];

  const crowd = crowdFor(t, Number(new URL(server.rtmp).port));
  await eventually(() => crowd.counted.sentAway >= CROWD);
  let [mostMemory, mostFiles] = [0, 0];
  const measure = () => {
    mostMemory = Math.max(mostMemory, residentKilobytes(server.pid) - memory);
    mostFiles = Math.max(mostFiles, openFiles(server.pid) - files);
  };
  let { mediaSequence } = full;
  for (let line = 1; line <= LINES; line += 1) {
    await sayAndHear(talker, `line ${line}`, undefined, new RegExp(`line ${line}\\b`));
    const before = mediaSequence;
    ({ mediaSequence } = await untilPlaylist(server, (list) => list.mediaSequence > before));
    await eventually(() => crowd.counted.sentAway >= CROWD * (1 + line * VISITS));
    measure();
  }
  await eventually(() => crowd.counted.loitered >= CONNECTION_SLOTS);
  measure();
  assert.ok(publisher.isRunning(), publisher.logs());
  assert.ok(mostMemory <= MAX_GROWTH_KB, `memory grew by ${mostMemory} kB`);
  assert.ok(mostFiles <= MAX_MORE_FILES, `${mostFiles} more files are open`);
  crowd.end();
  const { tried, sentAway, loitered } = crowd.counted;
  console.log(`tried=${tried} sent_away=${sentAway} loitered=${loitered} memory_kb=${mostMemory} files=${mostFiles}`);

  await eventually(() => openFiles(server.pid) <= files + 5).catch(() =>
    assert.fail(`${openFiles(server.pid) - files} more files stay open`),
  );
  // The door is free again: who comes back is let in at once.
  await publisher.kill();
  await untilState(server, 'waiting');
  publisherFor(t, server);
  await untilState(server, 'live');
  assert.equal(await server.stop(), 0);
});

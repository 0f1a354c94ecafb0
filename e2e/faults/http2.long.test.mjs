// HTTP/2 peers that ask for much and take nothing: their memory comes back, and nobody else notices.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { test } from 'node:test';
import { basicClient, PASSWORD } from '../lib/admin.mjs';
import { afterwards } from '../lib/cleanup.mjs';
import { eventually } from '../lib/eventually.mjs';
import { serverFor } from '../lib/server.mjs';

const IS_LONG = process.env.RILLCAST_RING === 'all';
const PEERS = 20;
const STREAMS = 60;
/** The server's patience with such a peer is 15 s. */
const CLOSE_DEADLINE_MS = 60_000;
/** The allocator keeps what one wave has used; a later one has to find it there. One wave holds several times this. */
const MAX_GROWTH_KB = 5 * 1024;
const MOST_WAVES = 6;

const residentKilobytes = (pid) => Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/)[1]);

async function greedyPeer(server) {
  const session = connect(server.http, { settings: { initialWindowSize: 0 } });
  session.on('error', () => {});
  await once(session, 'connect');
  for (let count = 0; count < STREAMS; count += 1) {
    const request = session.request({ ':path': '/' });
    request.on('error', () => {});
    request.end();
  }
  return session;
}

test('a peer that takes nothing of its answers is cut, and others are served meanwhile', async (t) => {
  const server = await serverFor(t, { args: ['--admin-password', PASSWORD] });
  const admin = basicClient(server);
  assert.equal((await admin.set('pagecontent', 'a long text '.repeat(4000))).status, 200);
  const resident = [residentKilobytes(server.pid)];
  // What the allocator keeps differs from wave to wave, so one that grows proves nothing: a leak grows with each of them.
  const isSettled = () => resident.length > 2 && resident.at(-1) - Math.max(...resident.slice(1, -1)) < MAX_GROWTH_KB;
  for (let wave = 0; wave < (IS_LONG ? MOST_WAVES : 1) && !isSettled(); wave += 1) {
    const peers = await Promise.all(Array.from({ length: PEERS }, () => greedyPeer(server)));
    afterwards(t, () => peers.forEach((peer) => peer.destroy()));
    for (let count = 0; count < 50; count += 1) {
      assert.equal((await fetch(`${server.http}/api/status`)).status, 200);
    }
    await eventually(() => peers.every((peer) => peer.closed || peer.destroyed), { deadlineMs: CLOSE_DEADLINE_MS });
    resident.push(residentKilobytes(server.pid));
  }
  const megabytes = resident.map((kilobytes) => Math.round(kilobytes / 1024));
  console.log(`greedy peers: ${PEERS} x ${STREAMS} streams a wave, resident MB ${megabytes.join(' -> ')}`);
  if (IS_LONG) assert.ok(isSettled(), `it grows with every wave: ${megabytes}`);
  assert.equal((await fetch(`${server.http}/`)).status, 200);
});

test('a peer cannot keep one answer in our memory by asking for others', async (t) => {
  const server = await serverFor(t, {});
  const session = connect(server.http, { settings: { initialWindowSize: 0 } });
  session.on('error', () => {});
  afterwards(t, () => session.destroy());
  await once(session, 'connect');
  const stuck = session.request({ ':path': '/' });
  stuck.on('error', () => {});
  stuck.end();
  const isClosed = () => session.closed || session.destroyed;
  await eventually(
    async () => {
      if (isClosed()) return true;
      // Answers without a body are taken at once, whatever the window is.
      const other = session.request({ ':path': '/api/status', ':method': 'HEAD' });
      other.on('error', () => {});
      other.end();
      await once(other, 'close');
      return isClosed();
    },
    { deadlineMs: CLOSE_DEADLINE_MS },
  );
});

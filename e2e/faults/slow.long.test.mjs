// Clients that take their time hold a socket for a while, and nobody else up.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { PASSWORD, basicClient } from '../lib/admin.mjs';
import { afterwards } from '../lib/cleanup.mjs';
import { eventually } from '../lib/eventually.mjs';
import { serverFor } from '../lib/server.mjs';

const IS_LONG = process.env.RILLCAST_RING === 'all';
const WANTED = 1000;
const ORDINARY = 200;
/** The server's longest patience is 30 s, for a handler that waits for its body; 40 s on HTTP/2, with a ping. */
const CLOSE_DEADLINE_MS = IS_LONG ? 90_000 : 45_000;
const DRIP_MS = 1000;
const MAX_GROWTH_KB = 20 * 1024;

/** Each kind of slow client: what it sends at once, and what it drips afterwards. */
const KINDS = {
  'half a header': { share: 0.4, opening: 'GET /api/status HTTP/1.1\r\nHost: slow\r\nX-Slow: ', drip: 'a' },
  'half a request line': { share: 0.1, opening: 'GET /api/sta', drip: 't' },
  nothing: { share: 0.1, opening: '' },
  'half an HTTP/2 preface': { share: 0.1, opening: 'PRI * HTTP/2.0\r\n\r\nSM' },
  'no second request': { share: 0.1, opening: 'GET /api/status HTTP/1.1\r\nHost: slow\r\n\r\n' },
  'a slow body': {
    share: 0.1,
    opening: 'POST /api/admin/session HTTP/1.1\r\nHost: slow\r\nContent-Length: 5000\r\n\r\n{"password": "',
    drip: 'x',
  },
  'no reading': { share: 0.1, isDeaf: true },
  ...(IS_LONG && { 'an HTTP/2 preface and no more': { share: 0.1, opening: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' } }),
};

/** Sockets this test may use: the system's limit, with some left for everything else. */
function affordable() {
  const limit = readFileSync('/proc/self/limits', 'utf8').match(/Max open files\s+(\d+|unlimited)/)[1];
  const sockets = limit === 'unlimited' ? WANTED : Math.min(WANTED, Number(limit) - ORDINARY - 100);
  if (sockets < WANTED) console.log(`only ${sockets} slow connections: the limit of open files is ${limit}`);
  return sockets;
}

function residentKilobytes(pid) {
  return Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/)[1]);
}

/** A client that is slow in its own way; `closed` resolves when the server has ended the connection. */
async function slowClient(port, { opening, drip, isDeaf }, largeRequest) {
  const socket = connect({ port, host: '127.0.0.1' });
  // Being cut off in the middle of a write is what is expected here.
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  if (isDeaf) {
    socket.pause();
    socket.write(largeRequest);
    // A socket that is never read does not see the end either; writing tells.
    const probe = setInterval(() => socket.write('\r\n'), DRIP_MS);
    void closed.then(() => clearInterval(probe));
  } else {
    socket.resume();
    if (opening) socket.write(opening);
    if (drip) {
      const timer = setInterval(() => socket.write(drip), DRIP_MS);
      void closed.then(() => clearInterval(timer));
    }
  }
  return { socket, closed };
}

/** As many clients at once as there will be slow ones, all of them well-behaved. */
async function crowd(port, count) {
  const members = Array.from({ length: count }, async () => {
    const socket = connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.write('GET /api/status HTTP/1.1\r\nHost: crowd\r\n\r\n');
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1.1 200 /);
    return socket;
  });
  for (const socket of await Promise.all(members)) socket.destroy();
}

/** How many of `total` requests, each on a connection of its own, get 200. */
async function ordinaryRequests(url, total) {
  const agent = new Agent({ keepAlive: false, maxSockets: 20 });
  const statuses = await Promise.all(
    Array.from(
      { length: total },
      () =>
        new Promise((resolve) => {
          const request = get(url, { agent }, (response) => {
            response.resume();
            response.once('end', () => resolve(response.statusCode));
          });
          request.once('error', (error) => resolve(error.code));
        }),
    ),
  );
  return statuses.filter((status) => status === 200).length;
}

test('slow clients do not stop others, are cut off, and leave no memory behind', async (t) => {
  const server = await serverFor(t, { args: ['--admin-password', PASSWORD] });
  // Something worth not reading: with requests in a row it is more than the system buffers.
  assert.equal((await basicClient(server).set('customstyles', 'a'.repeat(50_000))).status, 200);
  const largeRequest = 'GET /customstyles.css HTTP/1.1\r\nHost: slow\r\n\r\n'.repeat(400);
  const port = Number(new URL(server.http).port);
  const status = `${server.http}/api/status`;

  const total = affordable();
  const atStart = residentKilobytes(server.pid);
  // The system's allocator keeps what a thousand connections once needed. What slow ones leave is compared with that.
  await crowd(port, total);
  assert.equal(await ordinaryRequests(status, ORDINARY), ORDINARY);
  const before = residentKilobytes(server.pid);
  const clients = [];
  afterwards(t, () => clients.forEach(({ socket }) => socket.destroy()));
  for (const [name, kind] of Object.entries(KINDS)) {
    const count = Math.round(total * kind.share);
    const opened = await Promise.all(Array.from({ length: count }, () => slowClient(port, kind, largeRequest)));
    clients.push(...opened.map((client) => ({ ...client, name })));
  }

  assert.equal(await ordinaryRequests(status, ORDINARY), ORDINARY);
  const during = residentKilobytes(server.pid);

  const open = new Map();
  for (const { name } of clients) open.set(name, (open.get(name) ?? 0) + 1);
  for (const { name, closed } of clients) void closed.then(() => open.set(name, open.get(name) - 1));
  const left = () => [...open].filter(([, count]) => count > 0);
  await eventually(() => left().length === 0, { deadlineMs: CLOSE_DEADLINE_MS }).catch(() =>
    assert.fail(`still open: ${left().map(([name, count]) => `${count} with ${name}`)}`),
  );
  assert.equal(await ordinaryRequests(status, ORDINARY), ORDINARY);

  const grown = () => residentKilobytes(server.pid) - before;
  await eventually(() => grown() <= MAX_GROWTH_KB).catch(() => assert.fail(`memory grew by ${grown()} kB`));
  const memory = `at_start=${atStart} before=${before} during=${during} after=${before + grown()}`;
  console.log(`slow=${clients.length} ordinary=${2 * ORDINARY} memory_kb ${memory}`);
  assert.equal(await server.stop(), 0);
});

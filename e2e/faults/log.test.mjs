// The log: what strangers can make it say, and what happens when nobody reads it.
import assert from 'node:assert/strict';
import { chmod, open, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join as pathOf } from 'node:path';
import { test } from 'node:test';
import { SET_UP } from '../lib/admin.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { join, sayAndHear } from '../lib/chat.mjs';
import { tool } from '../lib/command.mjs';
import { eventually } from '../lib/eventually.mjs';
import { serverFor } from '../lib/server.mjs';
import { NO_FLOOD_PROTECTION } from '../lib/chat-page.mjs';

/** Requests at once. */
const AT_ONCE = 8;
const ROUNDS = 60;
/** As long as a path may be. */
const LONG_PATH = 'A'.repeat(50_000);

/** `AT_ONCE` times `ROUNDS` requests; the statuses that came back. */
async function flood(server, { method = 'GET', path, body }) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const statuses = new Set();
  const ask = () =>
    new Promise((resolve, reject) => {
      const headers = body ? { 'Content-Type': 'application/json' } : {};
      const asking = request(server.http + path, { method, agent, headers }, (answer) => {
        statuses.add(answer.statusCode);
        answer.resume().on('end', resolve);
      });
      asking.on('error', reject);
      asking.end(body);
    });
  for (let round = 0; round < ROUNDS; round += 1) await Promise.all(Array.from({ length: AT_ONCE }, ask));
  agent.destroy();
  return [...statuses];
}

test('hundreds of refused requests of a stranger leave a few short lines in the log', async (t) => {
  const server = await serverFor(t, {
    args: ['--server-url', 'https://live.example', ...SET_UP, ...NO_FLOOD_PROTECTION],
  });
  const ada = await join(server, 'Ada');
  const person = new URLSearchParams({ accessToken: ada.person.token });
  const kinds = [
    { path: `/api/integrations/moderation/chat/user/${LONG_PATH}`, status: 401 },
    { path: '/api/integrations/status', status: 401 },
    { method: 'POST', path: '/api/auth/provider/indieauth', body: '{}', status: 400 },
    { method: 'POST', path: `/api/auth/indieauth?${person}`, body: '{"authHost":"https://127.0.0.1/"}', status: 400 },
  ];
  for (const { status, ...kind } of kinds) {
    const before = server.logs().length;
    const statuses = await flood(server, kind);
    assert.ok(statuses.length === 1, `${kind.path.slice(0, 60)}: ${statuses}`);
    await sayAndHear(ada, 'still here');
    const written = server.logs().length - before;
    t.diagnostic(`${kind.path.slice(0, 50)}: ${status}, ${written / (AT_ONCE * ROUNDS)} bytes of log per request`);
    assert.ok(written < 10_000, `${written} bytes of log for ${kind.path.slice(0, 60)}`);
  }
  await ada.leave();
});

test('a reader of the log that stalls holds nobody up, and hears how much it missed', async (t) => {
  const folder = await scratchFolder(t);
  const pipe = pathOf(folder, 'log');
  await tool('mkfifo', [pipe]);
  // Open at both ends, so that neither side waits for the other; nothing is read.
  const reader = await open(pipe, 'r+');
  t.after(() => reader.close());
  const wrapper = pathOf(folder, 'rillcast');
  await writeFile(wrapper, `#!/bin/sh\nexec '${process.env.RILLCAST_BIN}' "$@" 2>'${pipe}'\n`);
  await chmod(wrapper, 0o755);
  const server = await serverFor(t, { binary: wrapper, args: ['--log', 'trace', ...SET_UP, ...NO_FLOOD_PROTECTION] });
  const ada = await join(server, 'Ada');
  // Far more than a pipe and the queue before it hold: each request is worth several lines.
  for (let round = 0; round < 5; round += 1) {
    assert.deepEqual(await flood(server, { path: '/api/status' }), [200]);
    await sayAndHear(ada, `round ${round}`);
  }
  let read = '';
  const more = Buffer.alloc(1 << 16);
  await eventually(async () => {
    const { bytesRead } = await reader.read(more, 0, more.length);
    read += more.toString('latin1', 0, bytesRead);
    return read.includes('lines of the log were dropped') || undefined;
  });
  await ada.leave();
  assert.equal(await server.stop(), 0);
});

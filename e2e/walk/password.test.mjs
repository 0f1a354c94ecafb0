// A forgotten password, and a guessed one.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { PASSWORD, basicClient, sessionClient, setUp } from '../lib/admin.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { rillcast } from '../lib/command.mjs';
import { names, refusal } from '../lib/refused-start.mjs';
import { serverFor } from '../lib/server.mjs';

const NEW_PASSWORD = 'another fine password';

async function reset(dataDir, ...args) {
  const { code, stdout, stderr } = await rillcast(['admin', 'reset-password', '--data-dir', dataDir, ...args]);
  assert.equal(code, 0, stderr);
  return stdout;
}

const basicStatus = async (server, password) => (await basicClient(server, password).get('/api/admin/status')).status;

const signIn = (server, password) =>
  fetch(`${server.http}/api/admin/session`, { method: 'POST', body: JSON.stringify({ password }) });

const isSignedIn = async (server, cookie) =>
  (await fetch(`${server.http}/api/admin/status`, { headers: { Cookie: cookie } })).status === 200;

test('a reset beside a running server ends every session and the old password at once', async (t) => {
  const server = await serverFor(t, {});
  const admin = await setUp(server);
  assert.ok(await isSignedIn(server, admin.cookie));
  assert.equal(await basicStatus(server, PASSWORD), 200);
  assert.equal((await signIn(server, PASSWORD)).status, 200);

  await reset(server.dataDir, '--password', NEW_PASSWORD);
  assert.ok(!(await isSignedIn(server, admin.cookie)), 'the old session still works');
  assert.equal(await basicStatus(server, PASSWORD), 401, 'the old password still works');
  assert.equal((await signIn(server, PASSWORD)).status, 401, 'the old password still works');
  assert.equal(await basicStatus(server, NEW_PASSWORD), 200);
  assert.equal((await signIn(server, NEW_PASSWORD)).status, 200);
  assert.equal(await server.stop(), 0);
});

test('a reset of a stopped server prints a random password that works', async (t) => {
  const dataDir = join(await scratchFolder(t), 'data');
  const first = await serverFor(t, { dataDir });
  const admin = await setUp(first);
  assert.equal(await first.stop(), 0);
  const printed = /The new admin password is: (\S+)/.exec(await reset(dataDir))[1];
  const second = await serverFor(t, { dataDir });
  assert.equal(second.setupUrl, null);
  assert.equal(await basicStatus(second, printed), 200);
  assert.equal(await basicStatus(second, PASSWORD), 401);
  assert.ok(!(await isSignedIn(second, admin.cookie)));
});

test('a reset before the setup takes the place of the setup link', async (t) => {
  const server = await serverFor(t, {});
  await reset(server.dataDir, '--password', NEW_PASSWORD);
  assert.equal(await basicStatus(server, NEW_PASSWORD), 200);
  await assert.rejects(setUp(server), /401/);
  assert.equal(await basicStatus(server, NEW_PASSWORD), 200);
});

test('a reset that makes no sense is refused', async (t) => {
  const nothing = join(await scratchFolder(t), 'nothing');
  const command = ['admin', 'reset-password', '--data-dir'];
  names(await refusal([...command, nothing]), nothing);
  const server = await serverFor(t, {});
  await setUp(server);
  await refusal([...command, server.dataDir, '--password', 'short']);
  assert.equal(await basicStatus(server, PASSWORD), 200);
  names(await refusal([...command, server.dataDir], { env: { RILLCAST_ADMIN_PASSWORD: PASSWORD } }), 'password');
});

test('a new password from the admin page ends every other session', async (t) => {
  const server = await serverFor(t, {});
  const admin = await setUp(server);
  const other = (await signIn(server, PASSWORD)).headers.getSetCookie()[0].split(';')[0];
  assert.ok(await isSignedIn(server, other));
  assert.equal(await basicStatus(server, PASSWORD), 200);
  const change = { current: PASSWORD, value: NEW_PASSWORD };
  assert.equal((await sessionClient(server, admin).post('/api/admin/config/adminpass', change)).status, 200);
  assert.ok(!(await isSignedIn(server, other)));
  assert.equal(await basicStatus(server, PASSWORD), 401);
  assert.equal(await basicStatus(server, NEW_PASSWORD), 200);
});

test('the sixth wrong password has to wait, and the right one then too', async (t) => {
  const server = await serverFor(t, { args: ['--admin-password', PASSWORD] });
  const statuses = [];
  for (let guess = 1; guess <= 6; guess += 1) statuses.push((await signIn(server, `guess number ${guess}`)).status);
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
  const answer = await signIn(server, PASSWORD);
  assert.equal(answer.status, 429);
  const seconds = Number(answer.headers.get('retry-after'));
  assert.ok(seconds >= 1 && seconds <= 30, `Retry-After: ${seconds}`);
  assert.match((await answer.json()).message, /too many/);
  assert.equal(await basicStatus(server, PASSWORD), 429);
  // Visitors notice nothing of it.
  assert.equal((await fetch(`${server.http}/api/status`)).status, 200);
});

test('many right passwords at once are no guesses', async (t) => {
  const server = await serverFor(t, {});
  await setUp(server);
  const statuses = await Promise.all(Array.from({ length: 12 }, () => basicStatus(server, PASSWORD)));
  assert.deepEqual(new Set(statuses), new Set([200]));
});

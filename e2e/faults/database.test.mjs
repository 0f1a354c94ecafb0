// A database that cannot be written for a while: reads go on, writers are told, nothing acknowledged is lost.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { PASSWORD, basicClient } from '../lib/admin.mjs';
import { afterwards, atExit, scratchFolder } from '../lib/cleanup.mjs';
import { eventually } from '../lib/eventually.mjs';
import { NO_DISKS, smallDisk } from '../lib/folder.mjs';
import { serverFor } from '../lib/server.mjs';

const ARGS = ['--admin-password', PASSWORD];
const status = async (server, path) => (await fetch(server.http + path)).status;

test('on a full disk reads go on, writes are refused until there is room, and none is lost', {
  skip: NO_DISKS,
}, async (t) => {
  const root = await scratchFolder(t);
  const disk = await smallDisk(t, join(root, 'disk'), 16);
  const dataDir = join(root, 'disk', 'data');
  let server = await serverFor(t, { dataDir, args: ARGS });
  let client = basicClient(server);
  assert.equal(await status(server, '/readyz'), 200);

  await disk.fill();
  let kept;
  let number = 0;
  // A write or two may still fit into what SQLite has reserved already.
  const refused = await eventually(async () => {
    const value = `${(number += 1)} ${'x'.repeat(40_000)}`;
    const answer = await client.set('pagecontent', value);
    if (answer.status !== 200) return answer;
    kept = value;
    return undefined;
  });
  assert.equal(refused.status, 503, refused.text);
  assert.match(refused.json().message, /database|disk/);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  for (const path of ['/api/status', '/api/config', '/', '/healthz'])
    assert.equal(await status(server, path), 200, path);
  await eventually(async () => (await status(server, '/readyz')) === 503);
  if (kept) assert.equal((await client.setting('pagecontent')).value, kept);

  await disk.makeRoom();
  await eventually(async () => (await status(server, '/readyz')) === 200);
  assert.equal((await client.set('streamtitle', 'There is room again')).status, 200);
  await server.kill();
  server = await serverFor(t, { dataDir, args: ARGS });
  client = basicClient(server);
  assert.equal((await client.setting('streamtitle')).value, 'There is room again');
  if (kept) assert.equal((await client.setting('pagecontent')).value, kept);
  assert.equal(await server.stop(), 0);
});

test('a disk that fills up under many writers loses nothing it acknowledged', { skip: NO_DISKS }, async (t) => {
  const root = await scratchFolder(t);
  const disk = await smallDisk(t, join(root, 'disk'), 8);
  const dataDir = join(root, 'disk', 'data');
  let server = await serverFor(t, { dataDir, args: ARGS });
  const acknowledged = {};
  let refusals = 0;
  const fillUp = eventually(() => Object.keys(acknowledged).length === 3).then(disk.fill);
  const write = async (path, value) => {
    const client = basicClient(server);
    for (let n = 0; refusals < 30; n += 1) {
      const answer = await client.set(path, value(n));
      if (answer.status === 200) acknowledged[path] = value(n);
      else {
        assert.equal(answer.status, 503, answer.text);
        refusals += 1;
      }
    }
  };
  await Promise.all([
    fillUp,
    write('pagecontent', (n) => `${n} ${'p'.repeat(n % 2 ? 30_000 : 20_000)}`),
    write('customstyles', (n) => `/* ${n} ${'c'.repeat(n % 3 ? 25_000 : 100)} */`),
    write('offlinemessage', (n) => `${n} ${'o'.repeat(2000)}`),
  ]);
  await server.kill();
  await disk.makeRoom();
  server = await serverFor(t, { dataDir, args: ARGS });
  for (const [path, value] of Object.entries(acknowledged)) {
    assert.equal((await basicClient(server).setting(path)).value, value, path);
  }
  assert.equal(await server.stop(), 0);
});

test('writes wait for another program that has locked the database, and then succeed', async (t) => {
  const server = await serverFor(t, { args: ARGS });
  const client = basicClient(server);
  assert.equal((await client.set('name', 'Before')).status, 200);
  // The server may be writing just now: the shell waits for its turn, and says nothing if it does not get one.
  const shell = spawn('sqlite3', ['-batch', '-bail', join(server.dataDir, 'rillcast.db')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const forget = atExit(() => shell.kill('SIGKILL'));
  afterwards(t, () => {
    shell.kill('SIGKILL');
    forget();
  });
  shell.stdin.write(".timeout 10000\nBEGIN EXCLUSIVE;\nSELECT 'locked';\n");
  const [output] = await once(shell.stdout, 'data');
  assert.equal(String(output).trim(), 'locked');

  let isAnswered = false;
  const write = client.set('name', 'During').finally(() => (isAnswered = true));
  // Two seconds are part of the story: well above a commit, well below the time the server waits.
  const unlockAt = Date.now() + 2000;
  await eventually(async () => {
    assert.equal(await status(server, '/api/status'), 200);
    return Date.now() > unlockAt;
  });
  assert.ok(!isAnswered, 'the write was answered while the database was locked');
  shell.stdin.end('COMMIT;\n');
  const answer = await write;
  assert.equal(answer.status, 200, answer.text);
  assert.equal((await client.setting('name')).value, 'During');
  assert.equal(await server.stop(), 0);
});

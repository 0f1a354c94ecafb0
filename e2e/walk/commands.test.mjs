// The command line, the ready file, and the end of a server.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { PASSWORD, basicClient } from '../lib/admin.mjs';
import { afterwards, atExit, scratchFolder } from '../lib/cleanup.mjs';
import { rillcast } from '../lib/command.mjs';
import { eventually } from '../lib/eventually.mjs';
import { FREE_PORTS } from '../lib/refused-start.mjs';
import { cleanEnvironment, serverFor } from '../lib/server.mjs';

const COMMANDS = [[], ['serve'], ['doctor'], ['health'], ['backup'], ['restore'], ['admin'], ['admin', 'reset-password']];

test('every command explains itself', async (t) => {
  const cwd = await scratchFolder(t);
  for (const command of COMMANDS) {
    for (const flag of ['--help', '-h']) {
      const { code, stdout, stderr } = await rillcast([...command, flag], { cwd });
      assert.deepEqual([code, stderr], [0, ''], command.join(' '));
      assert.match(stdout, /Usage: rillcast/);
      assert.match(stdout, /--data-dir/);
    }
  }
  const version = await rillcast(['--version'], { cwd });
  assert.match(version.stdout, /^rillcast \d+\.\d+\.\d+/);
  assert.equal(version.code, 0);
  assert.deepEqual(await readdir(cwd), [], 'asking for help leaves nothing behind');
});

test('a misspelt flag or command ends with code 2 and a hint', async (t) => {
  const cwd = await scratchFolder(t);
  for (const [args, hint] of [
    [['--data-dirr', 'x'], '--data-dir'],
    [['serve', '--no-such-flag'], '--no-such-flag'],
    [['backupp'], 'backup'],
    [['restore'], '<FILE>'],
  ]) {
    const { code, stdout, stderr } = await rillcast(args, { cwd });
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.ok(stderr.includes(hint), stderr);
    assert.match(stderr, /--help/);
  }
  assert.deepEqual(await readdir(cwd), []);
});

test('the ready file tells a program what it needs, and only its owner', async (t) => {
  const folder = await scratchFolder(t);
  const ready = join(folder, 'ready.json');
  const child = spawn(
    process.env.RILLCAST_BIN,
    ['--data-dir', join(folder, 'data'), ...FREE_PORTS, '--ready-file', ready],
    {
      env: cleanEnvironment(),
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const forget = atExit(() => child.kill('SIGKILL'));
  afterwards(t, () => {
    child.kill('SIGKILL');
    forget();
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  // Parsed at the first moment it is there: it must be whole.
  const text = await eventually(() => readFile(ready, 'utf8'), { deadlineMs: 30_000 });
  const document = JSON.parse(text);
  assert.deepEqual(Object.keys(document).sort(), ['http', 'rtmp', 'setupUrl', 'streamKey']);
  assert.equal((await stat(ready)).mode & 0o777, 0o600);
  assert.match(document.http, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.match(document.rtmp, /^rtmp:\/\/127\.0\.0\.1:\d+\/live$/);
  assert.ok(document.setupUrl.startsWith(`${document.http}/admin/setup#`));
  assert.ok(document.streamKey.length >= 20);
  assert.equal((await fetch(`${document.http}/readyz`)).status, 200);
  // The block for people says the same.
  await eventually(() => stdout.includes(document.streamKey));
  for (const value of [document.http, document.rtmp, document.setupUrl]) assert.ok(stdout.includes(value), stdout);
  assert.deepEqual((await readdir(folder)).sort(), ['data', 'ready.json']);
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

/** A request whose body comes in two parts: `finish` sends the second one and resolves to the answer. */
async function unfinishedPost(server, path, body) {
  const authorization = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
  const headers = { Authorization: authorization, 'Content-Length': Buffer.byteLength(body) };
  const post = request(server.http + path, { method: 'POST', headers });
  const answered = new Promise((resolve, reject) => {
    post.once('error', reject);
    post.once('response', (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    });
  });
  // Whoever does not finish does not care how it ends.
  answered.catch(() => {});
  post.write(body.slice(0, 5));
  await once(post, 'socket').then(([socket]) => socket.connecting && once(socket, 'connect'));
  return {
    finish: () => {
      post.end(body.slice(5));
      return answered;
    },
  };
}

test('SIGTERM lets a request under way finish, takes no new ones, and ends with 0', async (t) => {
  const dataDir = join(await scratchFolder(t), 'data');
  const server = await serverFor(t, { dataDir, args: ['--admin-password', PASSWORD] });
  const slow = await unfinishedPost(server, '/api/admin/config/name', JSON.stringify({ value: 'Finished in time' }));
  // The server has the header once something sent later on another connection is answered.
  assert.equal((await fetch(`${server.http}/healthz`)).status, 200);
  const { port } = new URL(server.http);
  const stopped = server.stop();
  const refused = () =>
    new Promise((resolve) => {
      const socket = connect({ port: Number(port), host: '127.0.0.1' }, () => {
        socket.destroy();
        resolve(false);
      });
      socket.once('error', () => resolve(true));
    });
  await eventually(refused);
  assert.equal(await slow.finish(), 200);
  assert.equal(await stopped, 0);
  const again = await serverFor(t, { dataDir, args: ['--admin-password', PASSWORD] });
  assert.equal((await basicClient(again).setting('name')).value, 'Finished in time');
});

test('SIGTERM under load ends with 0 within ten seconds and keeps what was acknowledged', async (t) => {
  const dataDir = join(await scratchFolder(t), 'data');
  const args = ['--admin-password', PASSWORD];
  const server = await serverFor(t, { dataDir, args });
  let acknowledged = -1;
  const writer = (async () => {
    const client = basicClient(server);
    for (let number = 0; ; number += 1) {
      const answer = await client.set('streamtitle', `number ${number}`).catch(() => undefined);
      if (answer?.status !== 200) return;
      acknowledged = number;
    }
  })();
  const readers = Array.from({ length: 8 }, async () => {
    for (;;) {
      const answer = await fetch(`${server.http}/api/config`).catch(() => undefined);
      if (!answer) return;
      await answer.text().catch(() => undefined);
    }
  });
  // Connections that do nothing, and one that never finishes, must not hold it up for longer.
  const idle = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = connect({ port: Number(new URL(server.http).port), host: '127.0.0.1' });
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    }),
  );
  afterwards(t, () => idle.forEach((socket) => socket.destroy()));
  await unfinishedPost(server, '/api/admin/config/name', JSON.stringify({ value: 'Never finished' }));
  await eventually(() => acknowledged >= 20);
  // Later than that the server is killed, and the code is not 0.
  assert.equal(await server.stop({ deadlineMs: 10_000 }), 0);
  await Promise.all([writer, ...readers]);
  const again = await serverFor(t, { dataDir, args });
  const stored = Number((await basicClient(again).setting('streamtitle')).value.split(' ')[1]);
  assert.ok(stored >= acknowledged, `${stored} is stored, ${acknowledged} was acknowledged`);
});

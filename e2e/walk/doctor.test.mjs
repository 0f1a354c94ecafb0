// `rillcast doctor`: says what is wrong, and says so with its exit code.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { makePair } from '../lib/certificates.mjs';
import { afterwards, scratchFolder } from '../lib/cleanup.mjs';
import { rillcast, sqlite } from '../lib/command.mjs';
import { eventually } from '../lib/eventually.mjs';
import { picture } from '../lib/folder.mjs';
import { FREE_PORTS } from '../lib/refused-start.mjs';
import { serverFor } from '../lib/server.mjs';

/** Runs the command; the verdict (`ok`, `note`, `BAD`) and text of each check by name, and the exit code. */
async function doctor(args) {
  const { code, stdout, stderr } = await rillcast(['doctor', ...args]);
  assert.equal(stderr, '');
  const checks = {};
  for (const line of stdout.trimEnd().split('\n')) {
    const [, verdict, name, text] = /^(\S+) +(\S+(?: \S+)?) +(.*)$/.exec(line.replace(/ {2,}/g, '  ')) ?? [];
    assert.ok(name, `cannot read ${JSON.stringify(line)}`);
    checks[name] = { verdict, text };
  }
  return { code, checks };
}

const bad = (checks) => Object.keys(checks).filter((name) => checks[name].verdict === 'BAD');

async function listening(t) {
  const other = createServer((socket) => socket.end('I am something else\n')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  afterwards(t, () => other.close());
  return `127.0.0.1:${other.address().port}`;
}

test('doctor finds nothing wrong where nothing is there yet, and makes nothing', async (t) => {
  const dataDir = join(await scratchFolder(t), 'data');
  const { code, checks } = await doctor(['--data-dir', dataDir, ...FREE_PORTS]);
  assert.deepEqual(bad(checks), []);
  assert.equal(code, 0);
  assert.equal(checks['HTTP port'].verdict, 'ok');
  assert.ok(!existsSync(dataDir));
});

test('doctor finds nothing wrong with a running server and does not disturb it', async (t) => {
  const server = await serverFor(t, {});
  const address = new URL(server.http).host;
  const rtmp = new URL(server.rtmp.replace('rtmp:', 'http:')).host;
  const look = async () => {
    const before = await picture(server.dataDir);
    const found = await doctor(['--data-dir', server.dataDir, '--listen', address, '--rtmp-listen', rtmp]);
    assert.deepEqual(await picture(server.dataDir), before);
    return found;
  };
  // The server itself writes a little after its start; what doctor wrote would be there each time.
  const { code, checks } = await eventually(look, { deadlineMs: 20_000 });
  assert.deepEqual(bad(checks), []);
  assert.equal(code, 0);
  assert.match(checks['HTTP port'].text, /served by rillcast/);
  assert.equal(checks.Database.verdict, 'ok');
  assert.equal((await fetch(`${server.http}/readyz`)).status, 200);
  assert.equal(await server.stop(), 0);
});

test('doctor names a port that another program uses', async (t) => {
  const dataDir = join(await scratchFolder(t), 'data');
  const address = await listening(t);
  const http = await doctor(['--data-dir', dataDir, '--listen', address, '--rtmp-listen', '127.0.0.1:0']);
  assert.deepEqual([http.code, bad(http.checks)], [1, ['HTTP port']]);
  assert.ok(http.checks['HTTP port'].text.includes(address));
  const rtmp = await doctor(['--data-dir', dataDir, '--listen', '127.0.0.1:0', '--rtmp-listen', address]);
  assert.deepEqual([rtmp.code, bad(rtmp.checks)], [1, ['RTMP port']]);
});

test("doctor names a broadcasters' port in use by another program also while rillcast runs", async (t) => {
  const server = await serverFor(t, {});
  const address = await listening(t);
  const args = ['--data-dir', server.dataDir, '--listen', new URL(server.http).host, '--rtmp-listen', address];
  const { code, checks } = await doctor(args);
  assert.deepEqual([code, bad(checks)], [1, ['RTMP port']]);
});

test('doctor sees a server that speaks TLS as its own', async (t) => {
  const pair = await makePair(await scratchFolder(t), 'own');
  const tls = ['--tls-cert', pair.cert, '--tls-key', pair.key];
  const server = await serverFor(t, { args: tls });
  const rtmp = new URL(server.rtmp.replace('rtmp:', 'http:')).host;
  const { code, checks } = await doctor([
    ...['--data-dir', server.dataDir, '--listen', new URL(server.http).host, '--rtmp-listen', rtmp, ...tls],
  ]);
  assert.deepEqual([code, bad(checks)], [0, []]);
  assert.equal(checks.Certificate.verdict, 'ok');
});

test('doctor names a certificate and key that do not belong together', async (t) => {
  const folder = await scratchFolder(t);
  const [one, two] = [await makePair(folder, 'one'), await makePair(folder, 'two')];
  const base = ['--data-dir', join(folder, 'data'), ...FREE_PORTS];
  const mixed = await doctor([...base, '--tls-cert', one.cert, '--tls-key', two.key]);
  assert.deepEqual([mixed.code, bad(mixed.checks)], [1, ['Certificate']]);
  assert.ok(mixed.checks.Certificate.text.includes(one.cert));
  const right = await doctor([...base, '--tls-cert', one.cert, '--tls-key', one.key]);
  assert.deepEqual([right.code, right.checks.Certificate.verdict], [0, 'ok']);
});

test('doctor names a server URL that does not answer, or is somebody else', async (t) => {
  const folder = await scratchFolder(t);
  const base = ['--data-dir', join(folder, 'data'), ...FREE_PORTS, '--danger-allow-internal-addresses'];
  const url = 'http://live.example.org';
  // A port that was free a moment ago: nobody answers there.
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const silent = `127.0.0.1:${free.address().port}`;
  free.close();
  await once(free, 'close');
  for (const address of [silent, await listening(t)]) {
    const { code, checks } = await doctor([
      ...base,
      '--server-url',
      url,
      '--danger-resolve',
      `live.example.org=${address}`,
    ]);
    assert.deepEqual([code, bad(checks)], [1, ['Server URL']]);
    assert.ok(checks['Server URL'].text.includes(url));
  }
});

test('doctor asks the server through its public address, and says when a proxy hides the visitors', async (t) => {
  const server = await serverFor(t, {});
  const address = new URL(server.http).host;
  const rtmp = new URL(server.rtmp.replace('rtmp:', 'http:')).host;
  const { code, checks } = await doctor([
    ...['--data-dir', server.dataDir, '--listen', address, '--rtmp-listen', rtmp],
    ...['--server-url', 'http://live.example.org', '--danger-allow-internal-addresses'],
    ...['--danger-resolve', `live.example.org=${address}`],
  ]);
  assert.deepEqual([code, bad(checks)], [0, []]);
  assert.equal(checks['Server URL'].verdict, 'note');
  assert.match(checks['Server URL'].text, /--trusted-proxies 127\.0\.0\.1/);
});

test('doctor names a damaged database and leaves it alone', async (t) => {
  const dataDir = join(await scratchFolder(t), 'data');
  const server = await serverFor(t, { dataDir });
  await server.stop();
  // Nothing in the log, or SQLite would read that instead of the file.
  await sqlite(join(dataDir, 'rillcast.db'), 'PRAGMA wal_checkpoint(TRUNCATE)');
  await writeFile(join(dataDir, 'rillcast.db'), 'x'.repeat(100_000));
  const before = await picture(dataDir);
  const { code, checks } = await doctor(['--data-dir', dataDir, ...FREE_PORTS]);
  assert.deepEqual([code, bad(checks)], [1, ['Database']]);
  assert.match(checks.Database.text, /damaged/);
  assert.deepEqual(await picture(dataDir), before);
});

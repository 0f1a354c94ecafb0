// A start that cannot work says why in one line and leaves the data as it was.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { chmod, mkdir, open, readFile, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { PASSWORD, basicClient } from '../lib/admin.mjs';
import { afterwards, scratchFolder } from '../lib/cleanup.mjs';
import { sqlite } from '../lib/command.mjs';
import { NO_DISKS, picture, smallDisk } from '../lib/folder.mjs';
import { FREE_PORTS, names, refusal } from '../lib/refused-start.mjs';
import { serverFor, startServer } from '../lib/server.mjs';

const NAME = 'Kept through everything';

/** A data folder as a stopped server leaves it, with something to lose. */
async function usedFolder(t, dataDir) {
  const folder = dataDir ?? join(await scratchFolder(t), 'data');
  const server = await startServer({ dataDir: folder, args: ['--admin-password', PASSWORD] });
  const client = basicClient(server);
  const page = 'All about this stream. '.repeat(2000);
  for (const [setting, value] of Object.entries({
    name: NAME,
    pagecontent: page,
    customstyles: '/* */'.repeat(8000),
  })) {
    assert.equal((await client.set(setting, value)).status, 200);
  }
  assert.equal(await server.stop(), 0);
  // All of it in the one file, so that a damage done to the file hits what is read.
  await sqlite(join(folder, 'rillcast.db'), 'PRAGMA wal_checkpoint(TRUNCATE)');
  return folder;
}

/** The start must be refused with a line that says `things`, and the folder must look as before. */
async function refusedUntouched(folder, things, args = FREE_PORTS) {
  const before = await picture(folder);
  names(await refusal(['--data-dir', folder, ...args]), ...things);
  assert.deepEqual(await picture(folder), before);
}

/** The proof that nothing was damaged: the server starts and has what it had. */
async function startsWithEverything(t, folder) {
  const server = await serverFor(t, { dataDir: folder, args: ['--admin-password', PASSWORD] });
  assert.equal((await (await fetch(`${server.http}/api/config`)).json()).name, NAME);
  assert.equal((await basicClient(server).set('name', NAME)).status, 200);
  assert.equal(await server.stop(), 0);
}

test('a port in use is named with its flag', async (t) => {
  const folder = await usedFolder(t);
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  afterwards(t, () => other.close());
  const address = `127.0.0.1:${other.address().port}`;
  const free = '127.0.0.1:0';
  await refusedUntouched(folder, [address, '--listen'], ['--listen', address, '--rtmp-listen', free]);
  await refusedUntouched(folder, [address, '--rtmp-listen'], ['--listen', free, '--rtmp-listen', address]);
  await startsWithEverything(t, folder);
});

test('a folder that cannot be written is named', async (t) => {
  const root = await scratchFolder(t);
  const folder = join(root, 'disk', 'data');
  await mkdir(dirname(folder));
  if (NO_DISKS) {
    await usedFolder(t, folder);
    await chmod(folder, 0o500);
    await refusedUntouched(folder, [folder]);
    await chmod(folder, 0o700);
  } else {
    const disk = await smallDisk(t, dirname(folder), 16);
    await usedFolder(t, folder);
    await disk.remount('ro');
    await refusedUntouched(folder, [folder]);
    const fresh = join(dirname(folder), 'fresh');
    names(await refusal(['--data-dir', fresh, ...FREE_PORTS]), fresh);
    await disk.remount('rw');
  }
  await startsWithEverything(t, folder);
});

test('a full disk is named at the first start, which works once there is room', { skip: NO_DISKS }, async (t) => {
  const root = await scratchFolder(t);
  const disk = await smallDisk(t, join(root, 'disk'), 4);
  const folder = join(root, 'disk', 'data');
  await disk.fill();
  const line = await refusal(['--data-dir', folder, ...FREE_PORTS]);
  names(line, folder);
  assert.match(line, /No space left|full/);
  await disk.makeRoom();
  const server = await serverFor(t, { dataDir: folder });
  assert.equal((await fetch(`${server.http}/readyz`)).status, 200);
  assert.equal(await server.stop(), 0);
});

test('a disk with almost no room is named at the first start, which works once there is room', {
  skip: NO_DISKS,
}, async (t) => {
  const root = await scratchFolder(t);
  const disk = await smallDisk(t, join(root, 'disk'), 4);
  // Room for ever more: the start fails at another step each time.
  for (const blocks of [1, 2, 4, 8, 16]) {
    const folder = join(root, 'disk', `data-${blocks}`);
    await disk.fill();
    await truncate(join(root, 'disk', 'ballast'), (await stat(join(root, 'disk', 'ballast'))).size - blocks * 4096);
    const line = await refusal(['--data-dir', folder, ...FREE_PORTS]);
    names(line, folder);
    assert.match(line, /No space left|full/);
    await disk.makeRoom();
    const server = await serverFor(t, { dataDir: folder });
    assert.equal((await fetch(`${server.http}/readyz`)).status, 200);
    assert.equal(await server.stop(), 0);
    await rm(folder, { recursive: true });
  }
});

test('a full disk under a used folder damages nothing', { skip: NO_DISKS }, async (t) => {
  const root = await scratchFolder(t);
  const disk = await smallDisk(t, join(root, 'disk'), 16);
  const folder = await usedFolder(t, join(root, 'disk', 'data'));
  await disk.fill();
  await refusedUntouched(folder, [folder, 'full']);
  await disk.makeRoom();
  await startsWithEverything(t, folder);
});

const DAMAGES = {
  'that starts with garbage': (path) => overwrite(path, 0, 100),
  'that is cut short': async (path) => truncate(path, Math.floor((await stat(path)).size / 2 / 4096) * 4096),
  'that is cut within a page': async (path) => truncate(path, (await stat(path)).size - 1000),
  'with a page overwritten': async (path) =>
    overwrite(path, Math.floor((await stat(path)).size / 2 / 4096) * 4096, 4096),
  'that is something else altogether': (path) => writeFile(path, 'Dear diary, today I streamed.\n'.repeat(1000)),
};

async function overwrite(path, position, length) {
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(length, 0xa5), 0, length, position);
  await file.close();
}

for (const [what, damage] of Object.entries(DAMAGES)) {
  test(`a database ${what} is called damaged and left alone`, async (t) => {
    const folder = await usedFolder(t);
    const database = join(folder, 'rillcast.db');
    const whole = await readFile(database);
    await damage(database);
    await refusedUntouched(folder, [database, 'damaged', 'rillcast restore']);
    await writeFile(database, whole);
    await startsWithEverything(t, folder);
  });
}

test('a database of a newer version is left alone', async (t) => {
  const folder = await usedFolder(t);
  const database = join(folder, 'rillcast.db');
  const newest =
    'UPDATE _sqlx_migrations SET version = version + 1000 WHERE version = (SELECT max(version) FROM _sqlx_migrations)';
  await sqlite(database, newest);
  await refusedUntouched(folder, ['newer version']);
  await sqlite(database, newest.replace('+ 1000', '- 1000'));
  await startsWithEverything(t, folder);
});

test('a missing secret key is named and no new one is put in its place', async (t) => {
  const folder = await usedFolder(t);
  const key = join(folder, 'secret.key');
  await rename(key, `${key}.away`);
  await refusedUntouched(folder, [key]);
  await rename(`${key}.away`, key);
  await startsWithEverything(t, folder);
});

test('a secret key that is another one, or no key at all, is named', async (t) => {
  const folder = await usedFolder(t);
  const key = join(folder, 'secret.key');
  const right = await readFile(key);
  await writeFile(key, Buffer.alloc(32, 7));
  await refusedUntouched(folder, ['secret.key']);
  await writeFile(key, 'no key');
  await refusedUntouched(folder, [key]);
  await writeFile(key, right);
  await startsWithEverything(t, folder);
});

test('a second server on the same folder is turned away and the first goes on', async (t) => {
  const server = await serverFor(t, { args: ['--admin-password', PASSWORD] });
  names(await refusal(['--data-dir', server.dataDir, ...FREE_PORTS]), server.dataDir, 'in use');
  assert.equal((await basicClient(server).set('name', NAME)).status, 200);
  assert.equal(await server.stop(), 0);
});

test('a data folder that is a file is named', async (t) => {
  const file = join(await scratchFolder(t), 'data');
  await writeFile(file, 'precious');
  names(await refusal(['--data-dir', file, ...FREE_PORTS]), file);
  names(await refusal(['--data-dir', join(file, 'deeper'), ...FREE_PORTS]), file);
  assert.equal(await readFile(file, 'utf8'), 'precious');
});

test('a ready file that cannot be written is named', async (t) => {
  const folder = await usedFolder(t);
  const missing = join(folder, 'no', 'such', 'folder', 'ready.json');
  names(await refusal(['--data-dir', folder, ...FREE_PORTS, '--ready-file', missing]), missing);
  await startsWithEverything(t, folder);
});

test('a certificate that cannot be used is named', async (t) => {
  const folder = await usedFolder(t);
  const garbage = join(await scratchFolder(t), 'cert.pem');
  await writeFile(garbage, 'no certificate');
  await refusedUntouched(folder, [garbage], [...FREE_PORTS, '--tls-cert', garbage, '--tls-key', garbage]);
  const missing = `${garbage}.missing`;
  await refusedUntouched(folder, [missing], [...FREE_PORTS, '--tls-cert', missing, '--tls-key', missing]);
});

test('a clean stop leaves everything in the one database file', async (t) => {
  const folder = join(await scratchFolder(t), 'data');
  const server = await serverFor(t, { dataDir: folder, args: ['--admin-password', PASSWORD] });
  assert.equal((await basicClient(server).set('name', NAME)).status, 200);
  assert.equal(await server.stop(), 0);
  const left = ['emoji', 'lock', 'plugin-approved', 'plugins', 'rillcast.db', 'secret.key'];
  assert.deepEqual((await readdir(folder)).sort(), left);
});

test('what a killed server left in the write-ahead log is part of the next start', async (t) => {
  const folder = join(await scratchFolder(t), 'data');
  const server = await serverFor(t, { dataDir: folder, args: ['--admin-password', PASSWORD] });
  assert.equal((await basicClient(server).set('name', NAME)).status, 200);
  await server.kill();
  assert.ok((await stat(join(folder, 'rillcast.db-wal'))).size > 0);
  // A copy of the three files is as good as the folder itself.
  const copy = `${folder}-copy`;
  cpSync(folder, copy, { recursive: true });
  await startsWithEverything(t, folder);
  await startsWithEverything(t, copy);
});

test('a machine without certificate authorities has a server all the same, which says what is missing', async (t) => {
  const folder = await scratchFolder(t);
  const none = join(folder, 'none.pem');
  await writeFile(none, '');
  const server = await serverFor(t, { env: { SSL_CERT_FILE: none, SSL_CERT_DIR: folder } });
  assert.equal((await fetch(`${server.http}/api/status`)).status, 200);
  assert.match(server.logs(), /no certificate authorities.*install ca-certificates/);
});

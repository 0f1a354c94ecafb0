// Backup and restore, as an operator would do them: beside a running server, into a fresh folder, over an old one.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { PASSWORD, basicClient, setUp } from '../lib/admin.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { rillcast, sqlite, tool } from '../lib/command.mjs';
import { picture } from '../lib/folder.mjs';
import { names, refusal } from '../lib/refused-start.mjs';
import { serverFor } from '../lib/server.mjs';

const mode = async (path) => (await stat(path)).mode & 0o777;

async function succeeds(args, options) {
  const result = await rillcast(args, options);
  assert.equal(result.code, 0, result.stderr);
  assert.equal(result.stderr, '');
  return result.stdout;
}

/** Writes settings until `stop()`, which resolves to how many were acknowledged. */
function writing(client) {
  let isStopped = false;
  const done = (async () => {
    let number = 0;
    for (; !isStopped; number += 1) {
      // Both carry the number, the title later: a copy of one moment never has the title ahead.
      await client.set('serversummary', `number ${number}`);
      await client.set('streamtitle', `number ${number}`);
    }
    return number;
  })();
  return {
    stop: () => {
      isStopped = true;
      return done;
    },
  };
}

/** A zip made by somebody else. `entries` are names and texts; null stands for the file of that name in `folder`. */
async function makeZip(path, folder, entries) {
  const script = `
import json, pathlib, sys, zipfile
path, folder, entries = sys.argv[1], pathlib.Path(sys.argv[2]), json.loads(sys.argv[3])
with zipfile.ZipFile(path, "w") as archive:
    for name, text in entries.items():
        archive.writestr(zipfile.ZipInfo(name), (folder / name).read_bytes() if text is None else text)
`;
  await tool('python3', ['-c', script, path, folder, JSON.stringify(entries)]);
}

test('a backup of a running server brings everything back, in a fresh folder and over an old one', async (t) => {
  const folder = await scratchFolder(t);
  const server = await serverFor(t, {});
  const admin = await setUp(server, { name: 'Backed up' });
  await admin.set('tags', ['safe', 'sound']);
  const compiled = ['engine', 'plugin-code'];
  for (const name of compiled) {
    await mkdir(join(server.dataDir, name), { recursive: true });
    await writeFile(join(server.dataDir, name, 'left.code'), 'made by this machine for itself');
  }
  const writer = writing(admin);
  const file = join(folder, 'backup.zip');
  const output = await succeeds(['backup', file, '--data-dir', server.dataDir]);
  names(output, file);
  assert.ok((await writer.stop()) > 0);
  assert.equal(await mode(file), 0o600);
  const { lastBackupAt } = await admin.get('/api/admin/upkeep');
  assert.ok(Math.abs(Date.now() - Date.parse(lastBackupAt)) < 60_000, `the server knows of it: ${lastBackupAt}`);
  assert.deepEqual((await readdir(folder)).sort(), ['backup.zip'], 'nothing else is left beside it');
  await admin.set('name', 'Changed after the backup');
  const key = await readFile(join(server.dataDir, 'secret.key'));

  const fresh = join(folder, 'fresh', 'data');
  names(await succeeds(['restore', file, '--data-dir', fresh]), 'Restored');
  for (const name of compiled) assert.ok(!existsSync(join(fresh, name)), `${name} is no part of backups`);
  const restored = await serverFor(t, { dataDir: fresh });
  assert.equal(restored.streamKey, server.streamKey);
  assert.equal(restored.setupUrl, null, 'the password is part of the backup');
  const client = basicClient(restored);
  const { lastBackupAt: restoredFrom } = (await client.get('/api/admin/upkeep')).json();
  assert.equal(Date.parse(restoredFrom), Date.parse(lastBackupAt), 'what it was restored from is its last backup');
  assert.equal((await client.setting('name')).value, 'Backed up');
  assert.deepEqual((await client.setting('tags')).value, ['safe', 'sound']);
  const [summary, title] = [await client.setting('serversummary'), await client.setting('streamtitle')];
  const number = (row) => Number(/\d+$/.exec(row.value)?.[0] ?? -1);
  assert.ok([0, 1].includes(number(summary) - number(title)), `torn: ${summary.value}, ${title.value}`);
  for (const name of ['secret.key', 'rillcast.db']) assert.equal(await mode(join(fresh, name)), 0o600, name);
  assert.equal(await mode(fresh), 0o700);
  assert.deepEqual(await readFile(join(fresh, 'secret.key')), key);
  assert.equal((await client.set('name', 'Goes on')).status, 200);
  assert.equal(await restored.stop(), 0);
  assert.equal(await sqlite(join(fresh, 'rillcast.db'), 'PRAGMA integrity_check'), 'ok');

  // Over the folder it came from: only when the server is stopped, and only by force.
  const running = await refusal(['restore', file, '--data-dir', server.dataDir, '--force']);
  names(running, server.dataDir, 'in use');
  const dataDir = join(folder, 'old', 'data');
  await mkdir(join(folder, 'old'));
  await admin.set('streamtitle', 'Still served');
  await server.kill();
  await tool('cp', ['-a', fresh, dataDir]);
  const before = await picture(dataDir);
  names(await refusal(['restore', file, '--data-dir', dataDir]), 'already exists', '--force');
  assert.deepEqual(await picture(dataDir), before);
  const forced = await succeeds(['restore', file, '--data-dir', dataDir, '--force']);
  const aside = (await readdir(dataDir)).find((name) => name.startsWith('before-restore-'));
  names(forced, join(dataDir, aside));
  assert.equal(
    await sqlite(join(dataDir, aside, 'rillcast.db'), "SELECT value FROM settings WHERE key = 'name'"),
    '"Goes on"',
  );
  const again = await serverFor(t, { dataDir });
  assert.equal((await basicClient(again).setting('name')).value, 'Backed up');
  assert.equal(again.streamKey, server.streamKey);
  assert.equal(await again.stop(), 0);
  assert.ok(!(await readdir(dataDir)).some((name) => name.endsWith('.unfinished')));
});

test('a restored server is never left with the log of the database it replaced', async (t) => {
  const folder = await scratchFolder(t);
  const dataDir = join(folder, 'data');
  const first = await serverFor(t, { dataDir, args: ['--admin-password', PASSWORD] });
  assert.equal((await basicClient(first).set('name', 'In the backup')).status, 200);
  const file = join(folder, 'backup.zip');
  await succeeds(['backup', file, '--data-dir', dataDir]);
  assert.equal((await basicClient(first).set('name', 'In the log of a killed server')).status, 200);
  await first.kill();
  assert.ok(existsSync(join(dataDir, 'rillcast.db-wal')));
  await succeeds(['restore', file, '--data-dir', dataDir, '--force']);
  const second = await serverFor(t, { dataDir, args: ['--admin-password', PASSWORD] });
  assert.equal((await basicClient(second).setting('name')).value, 'In the backup');
  assert.equal(await second.stop(), 0);
});

test('what is no backup is refused and changes nothing', async (t) => {
  const folder = await scratchFolder(t);
  const dataDir = join(folder, 'data');
  const server = await serverFor(t, { dataDir, args: ['--admin-password', PASSWORD] });
  assert.equal((await basicClient(server).set('name', 'Untouched')).status, 200);
  await succeeds(['backup', join(folder, 'good.zip'), '--data-dir', dataDir]);
  assert.equal(await server.stop(), 0);
  const good = await readFile(join(folder, 'good.zip'));
  const unpacked = join(folder, 'unpacked');
  await tool('python3', ['-m', 'zipfile', '-e', join(folder, 'good.zip'), unpacked]);

  const bad = join(folder, 'bad.zip');
  const whole = { 'rillcast-backup.json': null, 'rillcast.db': null, 'secret.key': null };
  const offers = {
    garbage: () => writeFile(bad, 'PK and then nothing of the kind'),
    'an empty file': () => writeFile(bad, ''),
    'a backup cut short': () => writeFile(bad, good.subarray(0, good.length / 2)),
    'a backup with a flipped byte': () => {
      const flipped = Buffer.from(good);
      flipped[Math.floor(flipped.length / 2)] ^= 0xff;
      return writeFile(bad, flipped);
    },
    'a zip without a manifest': () => makeZip(bad, unpacked, { ...whole, 'rillcast-backup.json': '{}' }),
    'the backup of another program': () =>
      makeZip(bad, unpacked, { ...whole, 'rillcast-backup.json': '{"product":"other","version":"1","createdAt":"x"}' }),
    'a name that leaves the folder': () => makeZip(bad, unpacked, { ...whole, '../escaped': 'evil' }),
    'a name that leaves it later': () => makeZip(bad, unpacked, { ...whole, 'img/../../escaped': 'evil' }),
    'no database': () => makeZip(bad, unpacked, { 'rillcast-backup.json': null, 'secret.key': null }),
    'no key': () => makeZip(bad, unpacked, { 'rillcast-backup.json': null, 'rillcast.db': null }),
    'a damaged database': () => makeZip(bad, unpacked, { ...whole, 'rillcast.db': 'x'.repeat(100_000) }),
    'a key of another database': () => makeZip(bad, unpacked, { ...whole, 'secret.key': 'k'.repeat(32) }),
  };
  const before = await picture(dataDir);
  for (const [what, make] of Object.entries(offers)) {
    await rm(bad, { force: true });
    await make();
    await t.test(`${what} is refused`, async () => {
      const line = await refusal(['restore', bad, '--data-dir', dataDir, '--force']);
      assert.match(line, /backup|restored/);
      assert.deepEqual(await picture(dataDir), before);
      assert.ok(!existsSync(join(folder, 'escaped')), 'a file left the folder');
      // The next round must not trip over this one.
      assert.deepEqual(
        (await readdir(dataDir)).filter((name) => /unfinished|before-restore/.test(name)),
        [],
      );
      const fresh = join(folder, 'fresh');
      await refusal(['restore', bad, '--data-dir', fresh]);
      if (existsSync(fresh)) assert.deepEqual(await picture(fresh), []);
    });
  }
  names(await refusal(['restore', join(folder, 'none.zip'), '--data-dir', dataDir]), 'none.zip');

  // Not an error, because some programs write names that way; but it means a place inside.
  await makeZip(bad, unpacked, { ...whole, [join(folder, 'escaped')]: 'evil' });
  await rillcast(['restore', bad, '--data-dir', join(folder, 'absolute')]);
  assert.ok(!existsSync(join(folder, 'escaped')), 'a file left the folder');
});

test('recordings are saved only if that is said, and the backup says that they are not part of it', async (t) => {
  const folder = await scratchFolder(t);
  const server = await serverFor(t, {});
  const chunk = join('recordings', '00ff00ff00ff00ff', '0', '0.mp4');
  const [without, whole] = ['without.zip', 'whole.zip'].map((name) => join(folder, name));
  assert.doesNotMatch(await succeeds(['backup', '--data-dir', server.dataDir], { cwd: folder }), /recordings/);
  await mkdir(join(server.dataDir, chunk, '..'), { recursive: true });
  await writeFile(join(server.dataDir, chunk), 'media');

  names(await succeeds(['backup', without, '--data-dir', server.dataDir]), '--with-recordings', 'recordings');
  assert.ok(!(await tool('python3', ['-m', 'zipfile', '-l', without])).includes('recordings'));
  const output = await succeeds(['backup', whole, '--with-recordings', '--data-dir', server.dataDir]);
  assert.doesNotMatch(output, /not part/);
  const fresh = join(folder, 'fresh', 'data');
  await succeeds(['restore', whole, '--data-dir', fresh]);
  assert.equal(await readFile(join(fresh, chunk), 'utf8'), 'media');
});

test('a backup never overwrites a file and says when there is nothing to save', async (t) => {
  const folder = await scratchFolder(t);
  const file = join(folder, 'backup.zip');
  names(await refusal(['backup', file, '--data-dir', join(folder, 'nothing')]), join(folder, 'nothing'));
  assert.ok(!existsSync(file) && !existsSync(join(folder, 'nothing')));
  const server = await serverFor(t, {});
  await writeFile(file, 'precious');
  names(await refusal(['backup', file, '--data-dir', server.dataDir]), file, 'already exists');
  assert.equal(await readFile(file, 'utf8'), 'precious');
  names(await refusal(['backup', join(folder, 'no', 'b.zip'), '--data-dir', server.dataDir]), join(folder, 'no'));
  const output = await succeeds(['backup', '--data-dir', server.dataDir], { cwd: folder });
  assert.match(output, /rillcast-backup-\d{4}-\d\d-\d\d-\d{6}\.zip/);
});

test('nobody else can read a backup, not even while it is written', async (t) => {
  const folder = await scratchFolder(t);
  const dataDir = join(folder, 'data');
  const server = await serverFor(t, { dataDir });
  assert.equal(await server.stop(), 0);
  // Large enough to be seen on its way.
  const numbers = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 20000)';
  const rows = `INSERT INTO events (kind, json, at) SELECT 'Filler', hex(randomblob(200)), 1 FROM c`;
  await sqlite(join(dataDir, 'rillcast.db'), `${numbers} ${rows}`);
  const target = join(folder, 'out');
  await mkdir(target);
  let isDone = false;
  const backup = succeeds(['backup', join(target, 'backup.zip'), '--data-dir', dataDir]).finally(() => (isDone = true));
  const modes = {};
  while (!isDone) {
    for (const name of await readdir(target)) {
      const seen = await mode(join(target, name)).catch(() => 0o600); // gone again already
      modes[name] = (modes[name] ?? 0) | (seen & 0o077);
    }
  }
  await backup;
  assert.ok(Object.keys(modes).length > 0, 'nothing was seen');
  assert.deepEqual(modes, Object.fromEntries(Object.keys(modes).map((name) => [name, 0])));
});

test('a backup kept in the data folder does not swallow itself', async (t) => {
  const server = await serverFor(t, {});
  for (const name of ['one.zip', 'two.zip']) {
    await succeeds(['backup', join(server.dataDir, name), '--data-dir', server.dataDir]);
  }
  const listed = await tool('python3', ['-m', 'zipfile', '-l', join(server.dataDir, 'two.zip')]);
  for (const name of ['two.zip', '.unfinished', 'zip.db']) assert.ok(!listed.includes(name), listed);
});

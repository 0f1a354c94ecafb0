// A setting given outside the database is locked: it says so, names its source, and cannot be changed.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { PASSWORD, basicClient } from '../lib/admin.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { serverFor } from '../lib/server.mjs';

const ARGS = ['--admin-password', PASSWORD];

/** Starts with the name given in some way and checks that it is locked there. */
async function isLocked(t, options, { source, sourceName }) {
  const server = await serverFor(t, options);
  const client = basicClient(server);
  const row = await client.setting('name');
  assert.deepEqual(
    { value: row.value, source: row.source, sourceName: row.sourceName, locked: row.locked },
    { value: 'From outside', source, sourceName, locked: true },
  );
  const answer = await client.set('name', 'From the admin page');
  assert.equal(answer.status, 409, answer.text);
  assert.ok(answer.json().message.includes(sourceName), answer.text);
  assert.equal((await client.setting('name')).value, 'From outside');
  assert.equal((await (await fetch(`${server.http}/api/config`)).json()).name, 'From outside');
  // Its neighbours are free.
  assert.equal((await client.set('streamtitle', 'Free')).status, 200);
  assert.equal((await client.setting('streamtitle')).locked, false);
  assert.equal(await server.stop(), 0);
}

test('a setting given by flag, environment or file is locked and names its source', async (t) => {
  const file = join(await scratchFolder(t), 'rillcast.toml');
  await writeFile(file, 'name = "From outside"\n');
  const env = { RILLCAST_NAME: 'From outside' };
  await isLocked(t, { args: [...ARGS, '--set', 'name=From outside'] }, { source: 'flag', sourceName: '--set' });
  await isLocked(t, { args: ARGS, env }, { source: 'environment', sourceName: 'RILLCAST_NAME' });
  await isLocked(t, { args: [...ARGS, '--config', file] }, { source: 'file', sourceName: file });
});

test('a flag wins over the environment, the environment over the file, the file over the admin pages', async (t) => {
  const folder = await scratchFolder(t);
  const [dataDir, file] = [join(folder, 'data'), join(folder, 'rillcast.toml')];
  await writeFile(file, 'name = "file"\n');
  const layers = { args: ['--set', 'name=flag'], env: { RILLCAST_NAME: 'env' }, config: ['--config', file] };
  const start = (args, env) => serverFor(t, { dataDir, args: [...ARGS, ...args], env });
  const steps = [
    [[], {}, 'database'],
    [layers.config, {}, 'file'],
    [layers.config, layers.env, 'env'],
    [[...layers.config, ...layers.args], layers.env, 'flag'],
    [[], {}, 'database'],
  ];
  for (const [index, [args, env, expected]] of steps.entries()) {
    const server = await start(args, env);
    if (index === 0) assert.equal((await basicClient(server).set('name', 'database')).status, 200);
    assert.equal((await basicClient(server).setting('name')).value, expected);
    assert.equal(await server.stop(), 0);
  }
});

test('a stream key given at start is the only one, for that run', async (t) => {
  const dataDir = join(await scratchFolder(t), 'data');
  const first = await serverFor(t, { dataDir, args: ARGS });
  assert.equal(await first.stop(), 0);
  const second = await serverFor(t, { dataDir, args: [...ARGS, '--stream-key', 'only-for-today'] });
  assert.equal(second.streamKey, 'only-for-today');
  const row = await basicClient(second).setting('streamkeys');
  assert.deepEqual([row.locked, row.sourceName], [true, '--stream-key']);
  const answer = await basicClient(second).set('streamkeys', [{ key: 'another-key', comment: '' }]);
  assert.equal(answer.status, 409);
  assert.equal(await second.stop(), 0);
  const third = await serverFor(t, { dataDir, args: ARGS });
  assert.equal(third.streamKey, first.streamKey);
});

test('the admin password given at start cannot be changed in the admin pages', async (t) => {
  const server = await serverFor(t, { args: ARGS });
  assert.equal(server.setupUrl, null);
  const answer = await basicClient(server).set('adminpass', 'another fine password');
  assert.equal(answer.status, 409, answer.text);
  assert.equal((await basicClient(server).get('/api/admin/status')).status, 200);
});

// A value that cannot be used is refused in one line that names key, value and source, before anything is touched.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '../lib/cleanup.mjs';
import { names, refusal } from '../lib/refused-start.mjs';

/** Starts with a value given by flag, by environment and by file; each refusal must name it. */
async function everySource(t, key, value, flags) {
  const folder = await scratchFolder(t);
  const dataDir = join(folder, 'data');
  const file = join(folder, 'rillcast.toml');
  const variable = `RILLCAST_${key.toUpperCase()}`;
  await writeFile(file, `${key} = ${JSON.stringify(value)}\n`);
  const base = ['--data-dir', dataDir];
  names(await refusal([...base, ...flags]), key, value, flags[0]);
  names(await refusal(base, { env: { [variable]: value } }), key, value, variable);
  names(await refusal([...base, '--config', file]), key, value, file);
  names(await refusal(base, { env: { RILLCAST_CONFIG: file } }), key, value, file);
  assert.ok(!existsSync(dataDir), 'the data folder was made');
}

test('a bad address is refused with its key, value and source', async (t) => {
  await everySource(t, 'listen', 'somewhere', ['--listen', 'somewhere']);
  await everySource(t, 'rtmp_listen', '127.0.0.1:99999', ['--rtmp-listen', '127.0.0.1:99999']);
});

test('a bad setting is refused with its key, value and source', async (t) => {
  await everySource(t, 'nsfw', 'perhaps', ['--set', 'nsfw=perhaps']);
  await everySource(t, 'server_url', 'ftp://example.org', ['--server-url', 'ftp://example.org']);
});

test('bad options of every other kind are refused with their key, value and source', async (t) => {
  await everySource(t, 'trusted_proxies', '10.0.0.0/40', ['--trusted-proxies', '10.0.0.0/40']);
  await everySource(t, 'log_format', 'xml', ['--log-format', 'xml']);
  await everySource(t, 'log', 'web=loud', ['--log', 'web=loud']);
  await everySource(t, 'tls_cert', '/lonely.pem', ['--tls-cert', '/lonely.pem']);
});

test('a secret that cannot be used is not repeated in the refusal', async (t) => {
  const dataDir = join(await scratchFolder(t), 'data');
  for (const [key, value] of [
    ['stream_key', 'has spaces and/slashes'],
    ['database_url', 'mysql://root:hunter2@localhost/x'],
  ]) {
    const line = await refusal(['--data-dir', dataDir], { env: { [`RILLCAST_${key.toUpperCase()}`]: value } });
    names(line, key, `RILLCAST_${key.toUpperCase()}`);
    for (const part of ['slashes', 'hunter2']) assert.ok(!line.includes(part), line);
  }
});

test('a mistake in the file is refused with its place, a misspelt key with the likely one', async (t) => {
  const folder = await scratchFolder(t);
  const file = join(folder, 'rillcast.toml');
  const start = ['--data-dir', join(folder, 'data'), '--config', file];
  names(await refusal(start), file);
  await writeFile(file, 'name = "x"\nlisten = [unfinished\n');
  names(await refusal(start), file, 'line 2');
  await writeFile(file, 'lissten = "127.0.0.1:0"\n');
  names(await refusal(start), file, 'lissten', 'did you mean listen?');
  names(await refusal([...start.slice(0, 2), '--set', 'nmae=x']), 'nmae', '--set', 'did you mean name?');
});

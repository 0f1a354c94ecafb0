// `rillcast health`: what a health check runs where there is no other HTTP client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePair } from '../lib/certificates.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { rillcast } from '../lib/command.mjs';
import { serverFor } from '../lib/server.mjs';

test('health finds the running server by its data folder, and says when it is gone', async (t) => {
  const server = await serverFor(t, {});
  const args = ['health', '--data-dir', server.dataDir];
  const running = await rillcast(args);
  assert.deepEqual([running.code, running.stdout, running.stderr], [0, 'ready\n', '']);
  assert.equal(await server.stop(), 0);
  const gone = await rillcast(args);
  assert.deepEqual([gone.code, gone.stdout], [1, '']);
  assert.match(gone.stderr, /^rillcast: no server is running with the data folder /);
});

test('health asks a server that speaks TLS by its address, whatever name the certificate has', async (t) => {
  const pair = await makePair(await scratchFolder(t), 'own');
  const tls = ['--tls-cert', pair.cert, '--tls-key', pair.key];
  const server = await serverFor(t, { args: tls });
  const { code, stdout, stderr } = await rillcast(['health', '--data-dir', server.dataDir, ...tls]);
  assert.deepEqual([code, stdout, stderr], [0, 'ready\n', '']);
});

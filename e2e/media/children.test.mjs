// What the programs that the server starts are given of it.
import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setUp } from '../lib/admin.mjs';
import { untilState } from '../lib/broadcast.mjs';
import { afterwards, scratchFolder } from '../lib/cleanup.mjs';
import { eventually } from '../lib/eventually.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { askFor, QUALITIES, untilEncoder } from '../lib/qualities.mjs';
import { serverFor } from '../lib/server.mjs';

/** Input, where output goes that nobody reads, complaints, and a pipe for each quality that is encoded. */
const WANTED = 3 + QUALITIES.length - 1;

/** What a program has open: `[[descriptor, what]]`. */
function filesOf(pid) {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).map((name) => [Number(name), readlinkSync(join(folder, name))]);
}

test('an encoder has its pipes open and nothing else, whatever the server was started with', async (t) => {
  const left = await open(join(await scratchFolder(t), 'left-open'), 'w');
  afterwards(t, () => left.close());
  // From 3 on, and far behind: what the encoder is given takes the place of the first ones.
  const server = await serverFor(t, { open: Array.from({ length: 20 }, () => left.fd) });
  const has = filesOf(server.pid).filter(([, what]) => what.endsWith('left-open'));
  assert.equal(has.length, 20, 'the server was not started with them, so this shows nothing');
  const admin = await setUp(server);
  await askFor(admin);
  publisherFor(t, server, { clip: '360p' });
  await untilState(server, 'live');
  const encoder = await untilEncoder(server);
  // While it starts it reads its libraries and asks for the machine it is on; what it was given stays.
  await eventually(() => {
    const files = filesOf(encoder);
    const foreign = files.filter(([, what]) => !what.startsWith('pipe:') && !what.startsWith('/dev/'));
    assert.deepEqual(foreign, []);
    const pipes = files.filter(([, what]) => what.startsWith('pipe:'));
    assert.equal(pipes.length, WANTED - 1, JSON.stringify(files));
    return true;
  });
});

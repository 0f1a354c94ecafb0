// A disk that is full costs a recording what does not fit, and the stream nothing.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { PASSWORD, basicClient } from '../lib/admin.mjs';
import { untilState } from '../lib/broadcast.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { eventually } from '../lib/eventually.mjs';
import { NO_DISKS, smallDisk } from '../lib/folder.mjs';
import { VIDEO, get } from '../lib/hls.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor } from '../lib/server.mjs';

const ARGS = ['--admin-password', PASSWORD, '--set', 'recording=on', '--set', 'recording_min_free_gigabytes=0'];
/** With room for a minute of the clip beside what has to be free before recording goes on. */
const DISK_MEGABYTES = 128;
/** The disk is left alone for a minute after it refused a write. */
const RESUME_DEADLINE_MS = 120_000;

const lines = (server, text) =>
  server
    .logs()
    .split('\n')
    .filter((line) => line.includes(text));

test('recording pauses on a full disk with one line in the log, and goes on when there is room', {
  skip: NO_DISKS,
}, async (t) => {
  const dataDir = join(await scratchFolder(t), 'data');
  const disk = await smallDisk(t, join(dataDir, 'recordings'), DISK_MEGABYTES);
  const server = await serverFor(t, { dataDir, args: ARGS });
  const admin = basicClient(server);
  const page = async () => (await admin.get('/api/admin/videos')).json();
  const live = (isWanted, deadlineMs) =>
    eventually(
      async () => {
        const { live: log } = await page();
        return log !== null && isWanted(log) && log;
      },
      deadlineMs === undefined ? {} : { deadlineMs },
    );
  const publisher = publisherFor(t, server, {});
  await untilState(server, 'live');
  const begun = await live((log) => !log.isPaused);

  await disk.fill();
  const paused = await live((log) => log.isPaused && log.lost > 0);
  assert.equal(paused.id, begun.id);
  const playlist = async () => (await get(server, VIDEO)).text;
  const before = await playlist();
  await eventually(async () => (await playlist()) !== before);
  assert.ok(publisher.isRunning());
  assert.equal(lines(server, 'recording pauses').length, 1, server.logs());

  await disk.makeRoom();
  const resumed = await live((log) => !log.isPaused, RESUME_DEADLINE_MS);
  assert.equal(resumed.id, begun.id, 'it is the same recording');
  assert.equal(lines(server, 'recording goes on').length, 1, server.logs());
  assert.equal((await untilState(server, 'live')).online, true);

  assert.equal(await publisher.stop(), 0);
  await untilState(server, 'offline');
  const finished = await eventually(async () => {
    const [newest] = (await page()).results;
    return newest?.state === 'finished' && newest;
  });
  assert.deepEqual(finished.errors, []);
  const list = await get(server, `/hls/videos/${finished.id}/0/video.m3u8`);
  assert.match(list.text, /#EXT-X-DISCONTINUITY[\s\S]*#EXT-X-ENDLIST/, 'what is missing is a gap');
  assert.equal(await server.stop(), 0);
});

// Lists that go back in the live stream keep the rules of HLS, and what they list is there.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { untilState } from '../lib/broadcast.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { AUDIO, get, MASTER as LIVE_MASTER, playlist, untilPlaylist, VIDEO } from '../lib/hls.mjs';
import { keepsRules } from '../lib/playlist-check.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor } from '../lib/server.mjs';

const IS_LONG = process.env.RILLCAST_RING === 'all';
const SECONDS = IS_LONG ? 40 : 12;
const MASTER = '/hls/rewind.m3u8';
const REWIND = '/hls/0/rewind.m3u8';
const REWIND_AUDIO = '/hls/audio/rewind.m3u8';
/** More segments than the live list has; they are two seconds long. */
const LONGER_THAN_LIVE = 12;
const LONGER_DEADLINE_MS = 60_000;
const args = ['--set', 'rewind_minutes=5'];

const untilLong = (server, path = REWIND) =>
  untilPlaylist(server, ({ segments }) => segments.length >= LONGER_THAN_LIVE, {
    path,
    deadlineMs: LONGER_DEADLINE_MS,
  });

/** Every segment that a list names can be had, by those who stay live too. */
async function areThere(server, path) {
  const { segments, maps } = await playlist(server, path);
  for (const name of [...segments, ...maps]) {
    const response = await fetch(new URL(name, new URL(path, server.http)));
    const { byteLength } = await response.arrayBuffer();
    assert.equal(response.status, 200, name);
    assert.ok(byteLength > 0, name);
  }
}

describe('lists that go back', { concurrency: 4 }, () => {
  for (const [level, clip] of [
    [2, 'plain'],
    [0, 'audio-only'],
  ]) {
    test(`of a stream like ${clip} at latency level ${level} keep the rules and end like the live list`, async (t) => {
      const server = await serverFor(t, { args: [...args, '--set', `latency_level=${level}`] });
      publisherFor(t, server, { clip });
      await untilState(server, 'live');
      await untilLong(server);
      await keepsRules(server, { seconds: SECONDS, path: MASTER });
    });
  }

  test('count from the first segment, and list what the live list no longer does', async (t) => {
    const server = await serverFor(t, { args });
    publisherFor(t, server);
    await untilState(server, 'live');
    const { mediaSequence, segments } = await untilLong(server);
    const live = await playlist(server, VIDEO);
    assert.equal(mediaSequence, 0);
    assert.ok(!live.segments.includes(segments[0]), 'the live list is as long');
    assert.ok(live.mediaSequence > 1_000_000_000, 'the live list counts on as it always did');
    await areThere(server, REWIND);
    await areThere(server, REWIND_AUDIO);
    const { text } = await get(server, MASTER);
    assert.match(text, /^0\/rewind\.m3u8$/m);
    assert.match(text, /URI="audio\/rewind\.m3u8"/);
    assert.doesNotMatch((await get(server, LIVE_MASTER)).text, /rewind/);
  });

  test('go back to before a crash of the server, behind a discontinuity', async (t) => {
    const dataDir = await scratchFolder(t);
    const first = await serverFor(t, { args, dataDir });
    const publisher = publisherFor(t, first);
    await untilState(first, 'live');
    const before = await untilLong(first);
    await publisher.kill();
    await first.kill();
    const server = await serverFor(t, { args, dataDir });
    publisherFor(t, { ...server, streamKey: first.streamKey });
    const after = await untilPlaylist(
      server,
      ({ segments }) => segments.includes(before.segments[0]) && segments.length >= before.segments.length,
      { path: REWIND, deadlineMs: LONGER_DEADLINE_MS },
    );
    assert.equal(after.discontinuities, 1);
    assert.ok(after.mediaSequence >= before.mediaSequence);
    await areThere(server, REWIND);
    await areThere(server, REWIND_AUDIO);
    await keepsRules(server, { seconds: SECONDS, path: MASTER });
  });

  test('are not there while they are off, and change nothing of the live lists', async (t) => {
    const server = await serverFor(t);
    publisherFor(t, server);
    await untilState(server, 'live');
    for (const path of [MASTER, REWIND, REWIND_AUDIO]) assert.equal((await get(server, path)).status, 404, path);
    for (const path of [VIDEO, AUDIO]) assert.equal((await get(server, path)).status, 200, path);
  });
});

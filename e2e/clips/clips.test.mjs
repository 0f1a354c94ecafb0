// The committed clips are what their descriptions say; tests compare what a server made of them with those.
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { decodeComplaints, packetsOf } from '../lib/hls.mjs';
import { clipFacts, clipPath } from '../lib/publisher.mjs';

/** They are in the repository for ever. */
const MAX_CLIP_BYTES = 150_000;

const files = await readdir(dirname(clipPath('plain')));
const clips = files.filter((name) => name.endsWith('.flv')).map((name) => name.replace(/\.flv$/, ''));

const milliseconds = (seconds) => Math.round(seconds * 1000);

for (const clip of clips) {
  test(`${clip} holds the packets of its description, and can be decoded`, async () => {
    const facts = await clipFacts(clip);
    const packets = await packetsOf(clipPath(clip));
    for (const kind of ['video', 'audio']) {
      const dts = packets[kind].map((packet) => milliseconds(packet.dts));
      assert.deepEqual(dts, facts[kind]?.dts ?? [], `${kind}: the times differ`);
      const offsets = packets[kind].map((packet) => milliseconds(packet.pts) - milliseconds(packet.dts));
      assert.deepEqual(offsets, facts[kind]?.offsets ?? dts.map(() => 0), `${kind}: the order differs`);
    }
    const keys = packets.video.flatMap(({ isKey }, at) => (isKey ? [at] : []));
    assert.deepEqual(keys, facts.video?.keys ?? []);
    assert.equal(await decodeComplaints(clipPath(clip), { seconds: 20 }), '');
    assert.ok((await stat(clipPath(clip))).size <= MAX_CLIP_BYTES);
  });
}

test('every clip has a description, and every description a clip', () => {
  const described = files.filter((name) => name.endsWith('.json')).map((name) => name.replace(/\.json$/, ''));
  assert.deepEqual(described.sort(), clips.sort());
  assert.ok(clips.includes('plain'));
});

test('frames of the silent microphone are all of one size', async () => {
  const { audio } = await packetsOf(clipPath('silent-mic'));
  assert.deepEqual([...new Set(audio.map(({ size }) => size))].length, 1);
});

test('frames with B-frames come in another order than they are shown', async () => {
  const { video } = await packetsOf(clipPath('bframes'));
  const shown = video.map(({ pts }) => pts);
  assert.notDeepEqual(
    shown,
    shown.toSorted((a, b) => a - b),
  );
});

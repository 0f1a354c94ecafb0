// The same as recording-kills.test.mjs, often enough to meet the moments between a part, its record and its row.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KilledRecording } from '../lib/recording-kills.mjs';

const KILLS = 200;

test(`nothing that viewers had is lost in ${KILLS} kills, and all of it plays`, async (t) => {
  const recording = await KilledRecording.open(t);
  await recording.begin();
  for (let kill = 1; kill <= KILLS; kill += 1) await recording.round();
  const found = await recording.end();
  assert.ok(found.duration > 0, JSON.stringify(found));
  await recording.assertKept(found);
  await recording.assertPlayable(found);
});

// A server that dies while it records: what viewers had is in the recording, and other programs play it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KilledRecording } from '../lib/recording-kills.mjs';

const KILLS = 3;

test(`what viewers had two seconds before a kill is in the recording, and all of it plays, after ${KILLS} kills`, async (t) => {
  const recording = await KilledRecording.open(t);
  await recording.begin();
  for (let kill = 1; kill <= KILLS; kill += 1) await recording.round();
  const found = await recording.end();
  assert.ok(found.duration > 0, JSON.stringify(found));
  await recording.assertKept(found);
  await recording.assertPlayable(found);
});

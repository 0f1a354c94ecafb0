// A power cut while everybody writes: four ledgers of what one server promised, each with a test of its own.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ChatLedger } from './powercut/chat.mjs';
import { PluginLedger } from './powercut/plugins.mjs';
import { SettingsLedger } from './powercut/settings.mjs';
import { WebhookLedger } from './powercut/webhooks.mjs';
import { World } from './powercut/world.mjs';

const IS_LONG = process.env.RILLCAST_RING === 'all';
const ROUNDS = IS_LONG ? 120 : 12;
/** Of processor time: other tests run beside this one. */
const MAX_START_MS = 3000;

let end;
after(() => end?.());

async function cutAndJudge() {
  const file = {
    after: (step) => {
      end = step;
    },
  };
  const world = await World.open(file, (folder, random) => ({
    settings: new SettingsLedger(folder),
    chat: new ChatLedger(folder),
    webhooks: new WebhookLedger(folder, random),
    plugins: new PluginLedger(folder),
  }));
  await world.run(ROUNDS);
  return world;
}

/** The first test waits for all rounds; a ledger that fails does so in its own test. */
const ended = cutAndJudge();

test('every acknowledged write survives a power cut, once', async () => {
  const { parts, hardestStartMs } = await ended;
  parts.settings.assertKept(ROUNDS);
  console.log(`hardest_start_ms=${hardestStartMs}`);
  if (IS_LONG) assert.ok(hardestStartMs <= MAX_START_MS, `a start took ${hardestStartMs} ms of processors`);
});

test('every line that anybody heard survives a power cut, once and in its place', async () => {
  (await ended).parts.chat.assertKept(ROUNDS);
});

test('every line that anybody heard reaches a webhook through power cuts, under one delivery id', async () => {
  (await ended).parts.webhooks.assertKept(ROUNDS);
});

test('what a plugin was told is kept is there after a power cut', async () => {
  (await ended).parts.plugins.assertKept(ROUNDS);
});

// A power cut while settings are written: what was acknowledged is there, once, and the database is whole.
import assert from 'node:assert/strict';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { PASSWORD, basicClient } from '../lib/admin.mjs';
import { sqlite } from '../lib/command.mjs';
import { assertWhole, mains } from '../lib/powercut.mjs';

const IS_LONG = process.env.RILLCAST_RING === 'all';
const ROUNDS = IS_LONG ? 200 : 20;
const MAX_START_MS = 3000;

/** One writer each: its path in the API, its key in the database, and how a number is carried in its value. */
const WRITERS = [
  { path: 'name', key: 'name', value: (n) => `Server ${n}`, number: (value) => value.split(' ')[1] },
  {
    path: 'serversummary',
    key: 'summary',
    value: (n) => `${n} ${'summary '.repeat(40)}`,
    number: (v) => v.split(' ')[0],
  },
  { path: 'streamtitle', key: 'stream_title', value: (n) => `Title ${n}`, number: (value) => value.split(' ')[1] },
  { path: 'tags', key: 'tags', value: (n) => [`tag${n}`, 'live'], number: (value) => value[0].slice(3) },
  {
    path: 'pagecontent',
    key: 'page_content',
    value: (n) => `${n}\n${'*'.repeat(9000)}`,
    number: (v) => v.split('\n')[0],
  },
  {
    path: 'streamkeys', // sealed, so written to another table
    key: 'stream_keys',
    value: (n) => [{ key: `stream-key-${n}`, comment: '' }],
    number: (value) => value[0].key.slice('stream-key-'.length),
  },
];

/** Key → highest number and count, of intents and of acknowledgements. */
function sumsOf(ledger) {
  const sums = Object.fromEntries(
    WRITERS.map(({ key }) => [key, { tried: 0, lastTried: 0, acknowledged: 0, lastAcknowledged: 0 }]),
  );
  for (const [what, key, number] of ledger.lines()) {
    const sum = sums[key];
    if (what === 'try') Object.assign(sum, { tried: sum.tried + 1, lastTried: Number(number) });
    else Object.assign(sum, { acknowledged: sum.acknowledged + 1, lastAcknowledged: Number(number) });
  }
  return sums;
}

/** Writes ever higher numbers until the server is gone. */
async function keepWriting(server, writer, first, ledger, onAcknowledged) {
  const client = basicClient(server);
  for (let number = first; ; number += 1) {
    ledger.write('try', writer.key, number);
    let answer;
    try {
      answer = await client.set(writer.path, writer.value(number));
    } catch {
      return; // the power is off
    }
    assert.equal(answer.status, 200, answer.text);
    ledger.write('ack', writer.key, number);
    onAcknowledged();
  }
}

/** The numbers stored by what a power cut left, read from a copy so that recovery is the server's own work. */
async function lookInside(dataDir, copy) {
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy);
  for (const name of ['rillcast.db', 'rillcast.db-wal']) {
    await copyFile(join(dataDir, name), join(copy, name)).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  const database = join(copy, 'rillcast.db');
  await assertWhole(database);
  const counted = await sqlite(
    database,
    "SELECT json_extract(json, '$.key'), count(*) FROM events WHERE kind = 'SettingChanged' GROUP BY 1",
  );
  return Object.fromEntries(
    counted
      .split('\n')
      .map((line) => line.split('|'))
      .map(([key, count]) => [key, Number(count)]),
  );
}

async function storedNumbers(server) {
  const { settings } = (await basicClient(server).get('/api/admin/settings')).json();
  // Zero stands for a value that no writer has replaced yet.
  const number = ({ path, number }) => Number(number(settings.find((setting) => setting.path === path).value)) || 0;
  return Object.fromEntries(WRITERS.map((writer) => [writer.key, number(writer)]));
}

/**
 * Each key has one writer, so a round ends with at most one write whose fate is open. Whether that one is in the
 * database shows in the stored number; the event log must then have grown by exactly the writes that are in.
 */
function judge(key, earlier, now) {
  const sum = now.sums[key];
  const acknowledged = sum.acknowledged - earlier.sums[key].acknowledged;
  const certain = acknowledged > 0 ? sum.lastAcknowledged : earlier.numbers[key];
  const stored = now.numbers[key];
  const isOpenOneIn = stored === sum.lastTried && stored !== certain;
  const logged = (now.events[key] ?? 0) - (earlier.events[key] ?? 0);
  const surplus = logged - acknowledged - (isOpenOneIn ? 1 : 0);
  const isValueWrong = stored !== certain && !isOpenOneIn;
  return {
    lost: Math.max(0, -surplus) + (isValueWrong ? 1 : 0),
    doubled: Math.max(0, surplus),
    ...{ acknowledged, certain, stored, lastTried: sum.lastTried, logged },
  };
}

test('every acknowledged write survives a power cut, once', async (t) => {
  const plug = await mains(t, ['--admin-password', PASSWORD]);
  const { ledger, random } = plug;
  const look = () => lookInside(plug.dataDir, join(plug.folder, 'copy'));
  let slowestStart = 0;
  const start = async () => {
    const begin = performance.now();
    const server = await plug.start();
    slowestStart = Math.max(slowestStart, performance.now() - begin);
    return server;
  };

  await start();
  await plug.server.kill();
  // Not nothing: the first start stores a stream key.
  let events = await look();
  let sums = sumsOf(ledger);
  let numbers = Object.fromEntries(WRITERS.map(({ key }) => [key, 0]));

  let [lost, doubled] = [0, 0];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const earlier = { events, sums, numbers };
    const server = await start();
    let acknowledged = 0;
    const onAcknowledged = () => (acknowledged += 1);
    const writers = WRITERS.map((writer) =>
      keepWriting(server, writer, sums[writer.key].lastTried + 1, ledger, onAcknowledged),
    );
    const enough = 1 + random(30);
    await plug.cut(() => acknowledged >= enough, writers);

    events = await look();
    numbers = await storedNumbers(await start());
    await plug.server.kill();
    sums = sumsOf(ledger);
    for (const { key } of WRITERS) {
      const verdict = judge(key, earlier, { events, sums, numbers });
      lost += verdict.lost;
      doubled += verdict.doubled;
      if (verdict.lost || verdict.doubled) console.log(`round ${round}, ${key}: ${JSON.stringify(verdict)}`);
    }
  }

  const acknowledged = Object.values(sumsOf(ledger)).reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  const slowest = Math.round(slowestStart);
  console.log(
    `rounds=${ROUNDS} acknowledged=${acknowledged} lost=${lost} doubled=${doubled} slowest_start_ms=${slowest}`,
  );
  assert.ok(acknowledged >= ROUNDS, 'each round acknowledged something');
  assert.deepEqual({ lost, doubled }, { lost: 0, doubled: 0 });
  if (IS_LONG) assert.ok(slowest <= MAX_START_MS, `a start took ${slowest} ms`);
});

// Settings: what was acknowledged is there, once, and the database is whole.
import assert from 'node:assert/strict';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionClient } from '../../lib/admin.mjs';
import { sqlite } from '../../lib/command.mjs';
import { isBusy, operatorAsks } from './busy.mjs';
import { Entries } from './entries.mjs';

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
const KEYS = WRITERS.map(({ key }) => key);

/** A `PowerCutLedger` of `world.mjs`. */
export class SettingsLedger {
  most = 40;

  constructor(folder) {
    this.entries = new Entries(join(folder, 'settings'));
    this.copy = join(folder, 'copy');
    this.left = { sums: sumsOf([], KEYS), numbers: Object.fromEntries(KEYS.map((key) => [key, 0])), events: undefined };
    this.lost = 0;
    this.doubled = 0;
  }

  async prepare({ admin }) {
    this.admin = admin;
  }

  async write({ server, onAcknowledged }) {
    const first = (key) => this.left.sums[key].lastTried + 1;
    await Promise.all(WRITERS.map((writer) => this.#keepWriting(server, writer, first(writer.key), onAcknowledged)));
  }

  /** Writes ever higher numbers until the server is gone, or the fate of one is open. */
  async #keepWriting(server, writer, first, onAcknowledged) {
    const client = sessionClient(server, this.admin);
    for (let number = first; ; number += 1) {
      this.entries.add('try', writer.key, number);
      let answer;
      try {
        answer = await client.set(writer.path, writer.value(number));
      } catch {
        return; // the power is off
      }
      if (isBusy(answer.status)) return; // open as after a cut, and there may be one such write in a round
      assert.equal(answer.status, 200, answer.text);
      this.entries.add('ack', writer.key, number);
      onAcknowledged();
    }
  }

  /** Counts what a power cut left, in a copy, so that recovery is the server's own work. */
  async lookInside(dataDir) {
    this.events = await eventsIn(await copyOf(dataDir, this.copy));
    // Not nothing: the first start stores a stream key.
    this.left.events ??= this.events;
  }

  async judge(server, round) {
    const sums = sumsOf(this.entries.all(), KEYS);
    const now = { sums, numbers: await storedNumbers(server, this.admin), events: this.events };
    for (const key of KEYS) {
      const verdict = judgeSetting(key, this.left, now);
      this.lost += verdict.lost;
      this.doubled += verdict.doubled;
      if (verdict.lost || verdict.doubled) console.log(`round ${round}, ${key}: ${JSON.stringify(verdict)}`);
    }
    this.left = now;
  }

  assertKept(rounds) {
    const sums = Object.values(sumsOf(this.entries.all(), KEYS));
    const acknowledged = sums.reduce((total, sum) => total + sum.acknowledged, 0);
    const { lost, doubled } = this;
    console.log(`settings: rounds=${rounds} acknowledged=${acknowledged} lost=${lost} doubled=${doubled}`);
    assert.ok(acknowledged >= rounds, 'each round acknowledged something');
    assert.deepEqual({ lost, doubled }, { lost: 0, doubled: 0 });
  }
}

/** Key → highest number and count, of intents and of acknowledgements. */
export function sumsOf(lines, keys) {
  const sums = Object.fromEntries(
    keys.map((key) => [key, { tried: 0, lastTried: 0, acknowledged: 0, lastAcknowledged: 0 }]),
  );
  for (const [what, key, number] of lines) {
    const sum = sums[key];
    if (what === 'try') Object.assign(sum, { tried: sum.tried + 1, lastTried: Number(number) });
    else Object.assign(sum, { acknowledged: sum.acknowledged + 1, lastAcknowledged: Number(number) });
  }
  return sums;
}

/**
 * Each key has one writer, so a round ends with at most one write whose fate is open. Whether that one is in the
 * database shows in the stored number; the event log must then have grown by exactly the writes that are in.
 */
export function judgeSetting(key, earlier, now) {
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

/** Copies the database of a server that does not run. */
async function copyOf(dataDir, copy) {
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy);
  for (const name of ['rillcast.db', 'rillcast.db-wal']) {
    await copyFile(join(dataDir, name), join(copy, name)).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  return join(copy, 'rillcast.db');
}

/** How often each setting was changed, by a database that must be whole. */
async function eventsIn(database) {
  assert.equal(await sqlite(database, 'PRAGMA integrity_check'), 'ok');
  const counted = await sqlite(
    database,
    "SELECT json_extract(json, '$.key'), count(*) FROM events WHERE kind = 'SettingChanged' GROUP BY 1",
  );
  const rows = counted.split('\n').map((line) => line.split('|'));
  return Object.fromEntries(rows.map(([key, count]) => [key, Number(count)]));
}

async function storedNumbers(server, admin) {
  const { settings } = await operatorAsks(server, admin, '/api/admin/settings');
  // Zero stands for a value that no writer has replaced yet.
  const number = ({ path, number }) => Number(number(settings.find((setting) => setting.path === path).value)) || 0;
  return Object.fromEntries(WRITERS.map((writer) => [writer.key, number(writer)]));
}

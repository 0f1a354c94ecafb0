// A power cut while a plugin keeps things: whatever the server said it has kept is there, whole, when it is back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setUp } from '../lib/admin.mjs';
import { eventually } from '../lib/eventually.mjs';
import { mains } from '../lib/powercut.mjs';
import { deskOf } from './lib/desk.mjs';
import { packageOf } from './lib/packages.mjs';

const ROUNDS = process.env.RILLCAST_RING === 'all' ? 60 : 8;
/** Keys of each writer, in turn; a plugin may have ten thousand. */
const KEYS = 20;
/** The server, its engine and the plugin, on a machine that is busy with others. */
const START_DEADLINE_MS = 60_000;

/** Where a plugin can keep something; each has writers of its own. */
const WRITERS = ['kv', 'kv', 'kv', 'sql', 'fs'].map((place, number) => ({ place, name: `${place}${number}` }));

const KEEPER = `
import json
from service_plugin import plugin, service

service.sql.exec("CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
UPSERT = "INSERT INTO kept VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"

def in_files(key, value):
    done = service.fs.write(key, value)
    if not done.ok:
        raise RuntimeError(done.error)

def from_table(key):
    row = service.sql.query_row("SELECT value FROM kept WHERE key = ?", [key])
    return row and row.value

SET = {"kv": service.kv.set, "sql": lambda key, value: service.sql.exec(UPSERT, [key, value]), "fs": in_files}
GET = {"kv": service.kv.get, "sql": from_table, "fs": service.fs.read_text}

@plugin.post("/{place}/{key}")
def keep(req):
    SET[req.path_params["place"]](req.path_params["key"], req.body)
    return "kept"

@plugin.post("/look")
def look(req):
    return json.dumps({key: GET[place](key) for key, place in req.json().items()})
`;

/** Of changing length, so that half a value cannot be taken for a whole one. */
const contentOf = (number) => `${number} ${'x'.repeat((number * 37) % 2000)}`;
const keyOf = (writer, number) => `${writer.name}-${number % KEYS}`;

/** Key → the highest numbers that were tried and acknowledged. */
function sumsOf(ledger) {
  const sums = new Map();
  for (const [what, key, number] of ledger.lines()) {
    sums.set(key, { tried: 0, kept: 0, ...sums.get(key), [what]: Number(number) });
  }
  return sums;
}

const post = (server, path, body) => fetch(`${server.http}/plugins/keeper/${path}`, { method: 'POST', body });

/** Keeps ever higher numbers until the server is gone; returns the next one. */
async function keepOn(server, writer, first, ledger, onKept) {
  for (let number = first; ; number += 1) {
    const key = keyOf(writer, number);
    ledger.write('tried', key, number);
    let status;
    let text;
    try {
      const response = await post(server, `${writer.place}/${key}`, contentOf(number));
      status = response.status;
      text = await response.text();
    } catch {
      return number + 1; // the power is off
    }
    assert.equal(`${status} ${text}`, '200 kept');
    ledger.write('kept', key, number);
    onKept();
  }
}

/** What the plugin finds, once it runs. */
function look(server, sums) {
  const wanted = Object.fromEntries([...sums.keys()].map((key) => [key, key.match(/^[a-z]+/)[0]]));
  const ask = async () => {
    const response = await post(server, 'look', JSON.stringify(wanted));
    const text = await response.text();
    if (response.status !== 200) throw new Error(`it does not answer: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  return eventually(ask, { deadlineMs: START_DEADLINE_MS });
}

test('what a plugin was told is kept is there after a power cut', async (t) => {
  const plug = await mains(t);
  const { ledger, random } = plug;
  let server = await plug.start();
  const admin = await setUp(server);
  const permissions = ['http.serve', 'storage.kv', 'storage.sql', 'storage.fs'];
  await deskOf(server, admin).install('keeper', packageOf({ slug: 'keeper', permissions }, KEEPER));
  const next = WRITERS.map(() => 1);
  let acknowledged = 0;

  for (let round = 1; round <= ROUNDS; round += 1) {
    let kept = 0;
    const count = () => {
      kept += 1;
    };
    const writing = WRITERS.map((writer, index) => keepOn(server, writer, next[index], ledger, count));
    const enough = 1 + random(60);
    for (const [index, number] of (await plug.cut(() => kept >= enough, writing)).entries()) next[index] = number;
    acknowledged += kept;
    server = await plug.start();

    const sums = sumsOf(ledger);
    const found = await look(server, sums);
    for (const [key, { tried, kept: last }] of sums) {
      const number = Number(found[key]?.split(' ')[0] ?? 0);
      assert.ok(number >= last && number <= tried, `${key} has ${number}, kept was ${last}, tried ${tried}`);
      if (number > 0) assert.equal(found[key], contentOf(number), `${key} is whole`);
    }
  }

  const { enabled, running } = await deskOf(server, admin).entry('keeper');
  assert.deepEqual({ enabled, running }, { enabled: true, running: true });
  await plug.end();
  console.log(`rounds=${ROUNDS} acknowledged=${acknowledged} keys=${sumsOf(ledger).size} lost=0`);
  assert.ok(acknowledged >= ROUNDS, 'each round kept something');
});

// What a plugin keeps: whatever the server said it has kept is there, whole, when it is back.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { eventually } from '../../lib/eventually.mjs';
import { pluginAdminOf } from '../../plugins/lib/plugin-admin.mjs';
import { packageOf } from '../../plugins/lib/packages.mjs';
import { isBusy } from './busy.mjs';
import { Entries } from './entries.mjs';

/** Keys of each writer, in turn; a plugin may have ten thousand. */
const KEYS = 20;
/** Plugins are loaded behind everything else, and the machine may be busy with others. */
const START_DEADLINE_MS = 60_000;

/** Where a plugin can keep something; each has writers of its own. */
const WRITERS = ['kv', 'kv', 'kv', 'sql', 'fs'].map((place, number) => ({ place, name: `${place}${number}` }));

const PERMISSIONS = ['http.serve', 'storage.kv', 'storage.sql', 'storage.fs'];
const STORAGE_PLUGIN = `
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

/** A `PowerCutLedger` of `world.mjs`. */
export class PluginLedger {
  most = 32;

  constructor(folder) {
    this.entries = new Entries(join(folder, 'plugins'));
    this.next = WRITERS.map(() => 1);
    this.complaints = [];
  }

  async prepare({ server, admin }) {
    this.admin = admin;
    await pluginAdminOf(server, admin).install(
      'keeper',
      packageOf({ slug: 'keeper', permissions: PERMISSIONS }, STORAGE_PLUGIN),
    );
  }

  /** Waits until it answers. */
  async enter(server) {
    await lookUp(server, {});
  }

  async write({ server, onAcknowledged }) {
    const keepOn = (writer, index) => this.#keepOn(server, writer, this.next[index], onAcknowledged);
    this.next = await Promise.all(WRITERS.map(keepOn));
  }

  /** Keeps ever higher numbers until the server is gone, or the fate of one is open; returns the next one. */
  async #keepOn(server, writer, first, onAcknowledged) {
    for (let number = first; ; number += 1) {
      const key = `${writer.name}-${number % KEYS}`;
      this.entries.add('tried', key, number);
      let status;
      let text;
      try {
        const response = await post(server, `${writer.place}/${key}`, contentOf(number));
        status = response.status;
        text = await response.text();
      } catch {
        return number + 1; // the power is off
      }
      if (isBusy(status)) return number + 1;
      assert.equal(`${status} ${text}`, '200 kept');
      this.entries.add('kept', key, number);
      onAcknowledged();
    }
  }

  async judge(server, round) {
    const sums = sumsOf(this.entries.all());
    const storageByKey = Object.fromEntries([...sums.keys()].map((key) => [key, key.match(/^[a-z]+/)[0]]));
    const complaints = judgeFound(sums, await lookUp(server, storageByKey));
    this.complaints.push(...complaints.map((complaint) => `round ${round}: ${complaint}`));
  }

  async finish(server) {
    await pluginAdminOf(server, this.admin).until('keeper', ({ enabled, running }) => enabled && running);
  }

  assertKept(rounds) {
    const lines = this.entries.all();
    const acknowledged = lines.filter(([what]) => what === 'kept').length;
    const wrong = this.complaints.length;
    console.log(`plugins: rounds=${rounds} acknowledged=${acknowledged} keys=${sumsOf(lines).size} wrong=${wrong}`);
    assert.ok(acknowledged >= rounds, 'each round kept something');
    assert.deepEqual(this.complaints, []);
  }
}

/** Of changing length, so that half a value cannot be taken for a whole one. */
export const contentOf = (number) => `${number} ${'x'.repeat((number * 37) % 2000)}`;

/** Key → the highest numbers that were tried and acknowledged. */
export function sumsOf(lines) {
  const sums = new Map();
  for (const [what, key, number] of lines) {
    sums.set(key, { tried: 0, kept: 0, ...sums.get(key), [what]: Number(number) });
  }
  return sums;
}

/** What is older than acknowledged, newer than tried, or not as it was written, in words. */
export function judgeFound(sums, found) {
  const complaints = [];
  for (const [key, { tried, kept }] of sums) {
    const value = found[key] ?? undefined;
    const number = Number(value?.split(' ')[0] ?? 0);
    const isInTime = number >= kept && number <= tried;
    if (!isInTime) complaints.push(`${key} has ${number}, kept was ${kept}, tried ${tried}`);
    else if (value !== undefined && value !== contentOf(number)) complaints.push(`${key} is not whole`);
  }
  return complaints;
}

const post = (server, path, body) => fetch(`${server.http}/plugins/keeper/${path}`, { method: 'POST', body });

/** What the plugin finds at these keys, once it runs. */
function lookUp(server, storageByKey) {
  const ask = async () => {
    const response = await post(server, 'look', JSON.stringify(storageByKey));
    const text = await response.text();
    if (response.status !== 200) throw new Error(`it does not answer: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  return eventually(ask, { deadlineMs: START_DEADLINE_MS });
}

// A server whose power is cut again and again, beside a ledger of what it promised meanwhile.
import assert from 'node:assert/strict';
import { openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterwards, scratchFolder } from './cleanup.mjs';
import { sqlite } from './command.mjs';
import { eventually } from './eventually.mjs';
import { randomness, SEED } from './random.mjs';
import { startServer } from './server.mjs';

/** How long it may take until a round has seen enough to be worth a cut. */
const ROUND_DEADLINE_MS = 30_000;
/** The cut comes up to so long after that: anywhere between two commits. */
const WAVER_MS = 8;

/** Lines of words, in a file the server knows nothing of. */
class Ledger {
  constructor(path) {
    this.path = path;
    this.file = openSync(path, 'a');
  }

  write(...words) {
    writeSync(this.file, `${words.join(' ')}\n`);
  }

  lines() {
    const lines = readFileSync(this.path, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => line.split(' '));
  }
}

/** A server on a mains plug: `start` it, `cut` its power, and start it again on the same folder. */
class Mains {
  constructor(folder, args) {
    this.folder = folder;
    this.dataDir = join(folder, 'data');
    this.args = args;
    this.ledger = new Ledger(join(folder, 'ledger'));
    this.random = randomness(SEED);
    this.server = undefined;
  }

  async start() {
    this.server = await startServer({ dataDir: this.dataDir, args: ['--log', 'warn', ...this.args] });
    return this.server;
  }

  /** Pulls the plug soon after `isEnough`, or when all the work has ended; returns what each worker said at its end. */
  async cut(isEnough, workers) {
    const ended = Promise.all(workers);
    await Promise.race([eventually(isEnough, { deadlineMs: ROUND_DEADLINE_MS }), ended]);
    await new Promise((resolve) => setTimeout(resolve, this.random(WAVER_MS)));
    await this.server.kill();
    return ended;
  }

  /** Pulls the plug for good and looks whether the database is whole. */
  async end() {
    await this.server.kill();
    await assertWhole(join(this.dataDir, 'rillcast.db'));
  }
}

export async function assertWhole(database) {
  assert.equal(await sqlite(database, 'PRAGMA integrity_check'), 'ok');
}

/** The server is not started yet; whatever runs at the end of the test is ended. */
export async function mains(t, args = []) {
  console.log(`seed ${SEED} (repeat with RILLCAST_E2E_SEED)`);
  const plug = new Mains(await scratchFolder(t), args);
  afterwards(t, () => plug.server?.kill());
  return plug;
}

// One server whose power is cut again and again while several writers work on it at the same time. Each keeps a ledger
// of what the server promised, outside the data folder, and judges by it what is there when the server is back.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setUp } from '../../lib/admin.mjs';
import { afterwards, scratchFolder } from '../../lib/cleanup.mjs';
import { eventually } from '../../lib/eventually.mjs';
import { randomness, SEED } from '../../lib/random.mjs';
import { startServer } from '../../lib/server.mjs';

/** Long enough for anybody to have something acknowledged. */
const ROUND_DEADLINE_MS = 60_000;
/** The cut comes up to so long after its cause: anywhere between two commits. */
const WAVER_MS = 8;
const ARGS = ['--log', 'warn', '--set', 'chat_spam_protection=false', '--set', 'chat_join_messages=false'];

/**
 * Whatever a step throws is the failure of this ledger alone.
 * @typedef {object} PowerCutLedger
 * @property {number} most acknowledgements until the power is cut, at most, in a round that is this ledger's to end
 * @property {(scene: {server, admin: {cookie: string}, file: object}) => Promise<void>} [prepare] once
 * @property {(server) => Promise<void>} [enter] before each round; nobody writes yet
 * @property {(turn: {server, round: number, onAcknowledged: () => void}) => Promise<void>} write until the server is gone
 * @property {(dataDir: string) => Promise<void>} [lookInside] while the power is off
 * @property {(server, round: number) => Promise<void>} judge what is there after a cut
 * @property {(server) => Promise<void>} [finish] once, after the last round
 * @property {(rounds: number) => void} assertKept the verdict on all rounds
 */

/** A ledger in the world. Once it has failed it takes no further part, and the others go on without it. */
class Part {
  failure = undefined;
  acknowledged = 0;
  enough = 0;
  isWriting = false;

  constructor(ledger) {
    this.ledger = ledger;
  }

  async does(step, ...args) {
    if (this.failure) return;
    try {
      await this.ledger[step]?.(...args);
    } catch (error) {
      this.failure = error;
    }
  }

  async write(server, round, enough) {
    Object.assign(this, { acknowledged: 0, enough, isWriting: true });
    const onAcknowledged = () => {
      this.acknowledged += 1;
    };
    await this.does('write', { server, round, onAcknowledged });
    this.isWriting = false;
    if (this.acknowledged === 0) this.failure ??= new Error(`nothing was acknowledged in round ${round}`);
  }

  hasSome() {
    return this.acknowledged > 0 || !this.isWriting;
  }

  hasEnough() {
    return this.acknowledged >= this.enough || !this.isWriting;
  }

  assertKept(rounds) {
    if (this.failure) throw this.failure;
    this.ledger.assertKept(rounds);
  }
}

export class World {
  /**
   * @param {object} file the test file, at whose end everything is removed
   * @param {(folder: string, random: (below: number) => number) => Record<string, PowerCutLedger>} ledgersIn
   */
  static async open(file, ledgersIn) {
    console.log(`seed ${SEED} (repeat with RILLCAST_E2E_SEED)`);
    const folder = await scratchFolder(file);
    mkdirSync(join(folder, 'ledgers'));
    const world = new World(join(folder, 'data'), ledgersIn(join(folder, 'ledgers'), randomness(SEED)));
    afterwards(file, () => world.server?.kill());
    await world.#prepare(file);
    return world;
  }

  constructor(dataDir, ledgers) {
    this.dataDir = dataDir;
    this.parts = Object.fromEntries(Object.entries(ledgers).map(([name, ledger]) => [name, new Part(ledger)]));
    this.random = randomness(SEED + 1);
    this.server = undefined;
    /** Processor time of the start that took most of it. */
    this.hardestStartMs = 0;
  }

  async #prepare(file) {
    await this.#start();
    const admin = await setUp(this.server);
    await this.#all('prepare', { server: this.server, admin, file });
    await this.#cut();
    await this.#start();
  }

  async run(rounds) {
    for (let round = 1; round <= rounds && this.#working().length > 0; round += 1) await this.#round(round);
    // Nobody writes any more.
    await this.#all('finish', this.server);
    await this.#cut();
  }

  /** Everybody writes, the power is cut while they do, and what is left is judged. */
  async #round(round) {
    await this.#all('enter', this.server);
    const parts = this.#working();
    // They end the rounds in turn, so that each is cut off at moments of its own.
    const deciding = round % parts.length;
    const writing = parts.map((part, index) => {
      const enough = index === deciding ? 1 + this.random(part.ledger.most) : Infinity;
      return part.write(this.server, round, enough);
    });
    const isTime = () => parts.every((part) => part.hasSome()) && parts.some((part) => part.hasEnough());
    // After the deadline the power is cut all the same, and whoever has nothing has failed.
    await eventually(isTime, { deadlineMs: ROUND_DEADLINE_MS }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, this.random(WAVER_MS)));
    await this.#cut(writing);
    await this.#start();
    await this.#all('judge', this.server, round);
  }

  async #start() {
    this.server = await startServer({ dataDir: this.dataDir, args: ARGS });
    this.hardestStartMs = Math.max(this.hardestStartMs, processorMs(this.server.pid));
  }

  /** Pulls the plug, waits for those who notice it by that, and looks at what lies there. */
  async #cut(writing = []) {
    await this.server.kill();
    await Promise.all(writing);
    await this.#all('lookInside', this.dataDir);
  }

  async #all(step, ...args) {
    await Promise.all(this.#working().map((part) => part.does(step, ...args)));
  }

  #working() {
    return Object.values(this.parts).filter(({ failure }) => !failure);
  }
}

/** What a process has used of processors so far, however long it had to wait for them. */
function processorMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  const TICK_MS = 10;
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

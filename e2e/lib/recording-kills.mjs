// A server that is killed again and again while it records. What viewers were given is kept outside its data folder, and
// looked for in the recording.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PASSWORD } from './admin.mjs';
import { untilState } from './broadcast.mjs';
import { afterwards, scratchFolder } from './cleanup.mjs';
import { run } from './command.mjs';
import { eventually } from './eventually.mjs';
import { AUDIO, get, playlist, VIDEO } from './hls.mjs';
import { publish } from './publisher.mjs';
import { randomness, SEED } from './random.mjs';
import { startServer } from './server.mjs';

const ARGS = [
  ...['--admin-password', PASSWORD],
  ...['--set', 'recording=on', '--set', 'recording_visibility=public'],
  ...['--set', 'recording_min_free_gigabytes=0'],
];
/** What viewers were given so long before a kill is in the recording. */
const PROMISED_MS = 2000;
/** The kill comes up to so long after something is promised. */
const WAVER_MS = 1500;
const ROUND_DEADLINE_MS = 60_000;
const JUDGE_DEADLINE_MS = 600_000;
const FOLDERS = { [VIDEO]: '0', [AUDIO]: 'audio' };

const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');

export class KilledRecording {
  /** All parts that viewers were given, by their address: `{ folder, bytes, seenAt }`; of this round, then of all. */
  fresh = new Map();
  promised = [];

  static async open(t) {
    console.log(`seed ${SEED} (repeat with RILLCAST_E2E_SEED)`);
    const recording = new KilledRecording();
    recording.random = randomness(SEED);
    recording.dataDir = join(await scratchFolder(t), 'data');
    afterwards(t, async () => {
      await recording.publisher?.kill();
      await recording.server?.kill();
    });
    return recording;
  }

  async begin() {
    this.server = await startServer({ args: ARGS, dataDir: this.dataDir });
    this.publisher = publish(this.server);
    await untilState(this.server, 'live');
  }

  /** Watches until something is promised, kills the server, and starts it again. */
  async round() {
    await eventually(() => this.#watch(), { deadlineMs: ROUND_DEADLINE_MS });
    const end = Date.now() + this.random(WAVER_MS);
    while (Date.now() < end) await this.#watch();
    const killedAt = Date.now();
    await this.server.kill();
    await this.publisher.kill();
    for (const part of this.fresh.values()) {
      if (part.seenAt < killedAt - PROMISED_MS) this.promised.push(part);
    }
    this.fresh.clear();
    await this.begin();
  }

  /** Fetches what is listed and new, as a viewer does. Whether a part is older than what is promised. */
  async #watch() {
    for (const [path, folder] of Object.entries(FOLDERS)) {
      const { segments, parts } = await playlist(this.server, path);
      for (const name of [...segments, ...parts.map(({ URI }) => URI)]) {
        if (this.fresh.has(`${folder}/${name}`)) continue;
        const answer = await fetch(new URL(name, new URL(path, this.server.http)));
        if (answer.status !== 200) continue;
        const bytes = Buffer.from(await answer.arrayBuffer());
        this.fresh.set(`${folder}/${name}`, { folder, name, bytes, seenAt: Date.now() });
      }
    }
    const isOld = ({ seenAt }) => seenAt < Date.now() - PROMISED_MS;
    return [...this.fresh.values()].some(isOld);
  }

  /** Ends the broadcast; the recording as everybody finds it. */
  async end() {
    await this.publisher.stop();
    await untilState(this.server, 'offline');
    return eventually(async () => {
      const { total, results } = JSON.parse((await get(this.server, '/api/videos')).text);
      assert.ok(total <= 1, `there are ${total} recordings of one broadcast`);
      return results[0];
    });
  }

  async assertKept({ id }) {
    assert.ok(this.promised.length > 0, 'nothing was promised');
    const kept = {};
    for (const folder of Object.values(FOLDERS)) {
      const chunks = join(this.dataDir, 'recordings', id, folder);
      const files = (await readdir(chunks)).filter((name) => name.endsWith('.mp4'));
      kept[folder] = await Promise.all(files.map((name) => readFile(join(chunks, name))));
    }
    const isKept = ({ folder, bytes }) => kept[folder].some((chunk) => chunk.includes(bytes));
    const lost = this.promised.filter((part) => !isKept(part));
    const names = lost.map(({ folder, name, bytes }) => `${folder}/${name} ${bytes.length} ${hash(bytes)}`);
    assert.deepEqual(names, [], `${lost.length} of ${this.promised.length} are lost`);
  }

  /** Whether other programs play all of it, and time never goes back. */
  async assertPlayable({ playlist: path }) {
    const url = new URL(path, this.server.http).href;
    const command = ['-nostdin', '-v', 'error', '-i', url, '-map', '0', '-f', 'null', '-'];
    const { code, stderr } = await run('ffmpeg', command, { deadlineMs: JUDGE_DEADLINE_MS });
    assert.deepEqual({ code, stderr: stderr.trim() }, { code: 0, stderr: '' });
    for (const track of ['v:0', 'a:0']) {
      const facts = ['-select_streams', track, '-show_entries', 'packet=dts_time', '-of', 'csv=p=0', url];
      const { stdout } = await run('ffprobe', ['-v', 'error', ...facts], { deadlineMs: JUDGE_DEADLINE_MS });
      const times = stdout.trim().split('\n').map(Number.parseFloat);
      const back = times.findIndex((time, at) => at > 0 && time < times[at - 1]);
      assert.equal(back, -1, `${track} goes back from ${times[back - 1]} to ${times[back]}`);
    }
  }
}

// Recordings of every kind of stream, judged by others: the rules of their lists, ffmpeg and ffprobe over all of them, and
// Shaka Packager over each file.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { scratchFolder } from '../lib/cleanup.mjs';
import { run } from '../lib/command.mjs';
import { packagerComplaints } from '../lib/packager.mjs';
import { change, recorded } from '../lib/replays.mjs';
import { streamingTools } from '../lib/streaming-tools.mjs';

const IS_LONG = process.env.RILLCAST_RING === 'all';
const JUDGE_DEADLINE_MS = 60_000;
/** A player that begins or ends with a frame more or less. */
const FRAME_SECONDS = 0.1;

const KINDS = [
  { clip: 'plain', isShort: true },
  { clip: 'bframes', isShort: true },
  { clip: 'audio-only', isShort: true },
  { clip: 'video-only' },
  { clip: 'gop10' },
  { clip: '25fps' },
];

async function keepsRules(url) {
  const program = process.env.PLAYLIST_CHECK_BIN;
  const { code, stdout, stderr } = await run(program, [url], { deadlineMs: JUDGE_DEADLINE_MS });
  assert.equal(code, 0, `playlist-check ended with ${code}:\n${stdout}${stderr}`);
}

/** Whether ffmpeg decodes all of it without a word. */
async function decodes(url) {
  const args = ['-nostdin', '-v', 'error', '-i', url, '-map', '0', '-f', 'null', '-'];
  const { code, stderr } = await run('ffmpeg', args, { deadlineMs: JUDGE_DEADLINE_MS });
  assert.deepEqual({ code, stderr: stderr.trim() }, { code: 0, stderr: '' });
}

async function secondsOf(url) {
  const args = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', url];
  const { stdout } = await run('ffprobe', args, { deadlineMs: JUDGE_DEADLINE_MS });
  return Number.parseFloat(stdout);
}

/** The files of a recording as `{ folder, file, data }`. */
async function chunksOf(server, { id }) {
  const root = join(server.dataDir, 'recordings', id);
  const folders = (await readdir(root, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const found = [];
  for (const { name: folder } of folders) {
    const files = (await readdir(join(root, folder))).filter((name) => name.endsWith('.mp4'));
    for (const file of files) found.push({ folder, file, data: await readFile(join(root, folder, file)) });
  }
  return found;
}

/** The init segment, and the rest as one segment. */
function partsOf(data) {
  const at = data.indexOf('moof') - 4;
  return { init: data.subarray(0, at), segments: [data.subarray(at)] };
}

describe('a recording is played by others', { concurrency: 3 }, () => {
  for (const { clip, isShort } of KINDS) {
    test(`of a stream like ${clip}, whole`, { skip: !isShort && !IS_LONG && 'only in the long ring' }, async (t) => {
      const { server, video, url } = await recorded(t, { clip });
      await keepsRules(url);
      await decodes(url);
      const seconds = await secondsOf(url);
      assert.ok(Math.abs(seconds - video.duration) < 2 * FRAME_SECONDS, `${seconds} s of ${video.duration} s`);
      const tools = await streamingTools();
      if (!tools) return t.diagnostic('no Shaka Packager here');
      const scratch = await scratchFolder(t);
      for (const { folder, file, data } of await chunksOf(server, video)) {
        const isSound = clip === 'audio-only' || !/^\d$/.test(folder);
        const place = { kind: isSound ? 'audio' : 'video', file: join(scratch, `${folder}-${file}`) };
        const complaints = await packagerComplaints(tools.packager, partsOf(data), place);
        assert.deepEqual(complaints, [], `${folder}/${file}`);
      }
    });
  }

  test('and what is left of it when it is cut', async (t) => {
    const { server, video, url } = await recorded(t);
    const cut = await change(server, video, { trimStart: 1.9, trimEnd: 6.1 });
    assert.ok(Math.abs(cut.trimStart - 2) < FRAME_SECONDS, `it begins at ${cut.trimStart}`);
    assert.ok(Math.abs(cut.trimEnd - 6) < FRAME_SECONDS, `it ends at ${cut.trimEnd}`);
    await keepsRules(url);
    await decodes(url);
    const seconds = await secondsOf(url);
    assert.ok(Math.abs(seconds - cut.duration) < 2 * FRAME_SECONDS, `${seconds} s of ${cut.duration} s`);
  });
});

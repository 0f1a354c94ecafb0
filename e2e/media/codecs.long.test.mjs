// Codecs of Enhanced RTMP from an ffmpeg that can publish them: what comes out is decoded by ffmpeg, read by Shaka Packager
// without a warning, and played by our own page where the browser has the decoder.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { untilState } from '../lib/broadcast.mjs';
import { useBrowser } from '../lib/browser.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { run } from '../lib/command.mjs';
import { furtherClip, streamingTools } from '../lib/further.mjs';
import {
  AUDIO,
  decodeComplaints,
  get,
  MASTER,
  packetsOf,
  playlist,
  streamsOf,
  untilEnded,
  urlOf,
  VIDEO,
} from '../lib/hls.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor, WITHOUT_FFMPEG } from '../lib/server.mjs';
import { untilMoving, watch } from '../lib/watching.mjs';

/** Pictures of the clips: four seconds at thirty in each. */
const PICTURES = 120;

const KINDS = [
  { kind: 'AV1 with Opus', clip: 'av1-opus', codecs: 'av01.0.00M.08,Opus', names: ['av1', 'opus'], plays: true },
  { kind: 'VP9 with Opus', clip: 'vp9-opus', codecs: 'vp09.00.11.08,Opus', names: ['opus', 'vp9'], plays: true },
  { kind: 'HEVC with Opus', clip: 'hevc-opus', codecs: 'hvc1.1.6.L60.90,Opus', names: ['hevc', 'opus'] },
  { kind: 'HEVC with FLAC', clip: 'hevc-old-flac', codecs: 'hvc1.1.6.L60.90,fLaC', names: ['flac', 'hevc'] },
  {
    kind: 'AV1 with FLAC',
    clip: 'av1-opus',
    // The picture of one clip with the sound of another.
    sound: 'hevc-old-flac',
    codecs: 'av01.0.00M.08,fLaC',
    names: ['av1', 'flac'],
    plays: true,
  },
];

let tools;
before(async () => {
  tools = await streamingTools();
});

const withPage = useBrowser();

/** Pushes a clip by the newer ffmpeg: once and as fast as it is taken, or without end and in real time. */
function push(t, server, { clip, sound }, { isEndless }) {
  return publisherFor(t, server, {
    program: tools.ffmpeg,
    clip: furtherClip(clip),
    sound: sound && furtherClip(sound),
    loop: isEndless,
    paced: isEndless,
  });
}

/** Everything of a rendition in one file: its init segment and all segments, in order. */
async function saved(server, path, file) {
  const { maps, segments } = await playlist(server, path);
  assert.equal(maps.length, 1, 'one init segment is enough');
  const pieces = [];
  for (const name of [...maps, ...segments]) {
    const response = await fetch(new URL(name, new URL(path, server.http)));
    assert.equal(response.status, 200, name);
    pieces.push(Buffer.from(await response.arrayBuffer()));
  }
  await writeFile(file, Buffer.concat(pieces));
  return file;
}

/** What Shaka Packager says about a file beyond that it reads it. */
async function packagerComplaints(file, stream) {
  const args = [`in=${file},stream=${stream},output=${file}.out.mp4`];
  const { code, stdout, stderr } = await run(tools.packager, args);
  const said = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
  const complaints = said.filter((line) => !/^I\d{4} /.test(line) && line !== 'Packaging completed successfully.');
  return code === 0 ? complaints : [`it ended with ${code}`, ...said];
}

describe('what a newer ffmpeg pushes', { concurrency: 2 }, () => {
  for (const entry of KINDS) {
    test(`${entry.kind} is decoded by ffmpeg and read by Shaka Packager`, async (t) => {
      if (!tools) return t.skip('the newer tools cannot be installed here');
      const server = await serverFor(t, WITHOUT_FFMPEG);
      const publisher = push(t, server, entry, { isEndless: false });
      assert.equal(await publisher.ended, 0, publisher.logs());
      await untilEnded(server);
      const { text } = await get(server, MASTER);
      assert.ok(text.includes(`CODECS="${entry.codecs}"`), text);
      const url = urlOf(server);
      assert.deepEqual((await streamsOf(url)).map((stream) => stream.codec_name).sort(), entry.names);
      const { video } = await packetsOf(url);
      assert.equal(video.length, PICTURES);
      assert.equal(await decodeComplaints(url, { seconds: 30 }), '');
      const folder = await scratchFolder(t);
      for (const [path, stream] of [
        [VIDEO, 'video'],
        [AUDIO, 'audio'],
      ]) {
        const file = await saved(server, path, join(folder, `${stream}.mp4`));
        assert.deepEqual(await packagerComplaints(file, stream), [], stream);
      }
    });
  }
});

describe('our own page plays what a newer ffmpeg pushes', { concurrency: 3 }, () => {
  for (const entry of KINDS.filter(({ plays }) => plays)) {
    test(`${entry.kind}`, async (t) => {
      if (!tools) return t.skip('the newer tools cannot be installed here');
      const server = await serverFor(t);
      push(t, server, entry, { isEndless: true });
      await untilState(server, 'live');
      await withPage({}, async (page) => {
        await watch(page, server);
        const player = await untilMoving(page, { seconds: 3, deadlineMs: 50_000 });
        assert.deepEqual([player.width, player.height], [320, 180]);
      });
    });
  }
});

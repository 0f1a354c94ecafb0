// Codecs of Enhanced RTMP from an ffmpeg that can publish them: what comes out is decoded by ffmpeg, read by Shaka Packager
// without a warning, and played by our own page where the browser has the decoder.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { untilState } from '../lib/broadcast.mjs';
import { useBrowser } from '../lib/browser.mjs';
import { enhancedClip, streamingTools } from '../lib/streaming-tools.mjs';
import { decodeComplaints, get, MASTER, packetsOf, streamsOf, untilEnded, urlOf } from '../lib/hls.mjs';
import { packagerVerdicts } from '../lib/packager.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor, WITHOUT_FFMPEG } from '../lib/server.mjs';
import { untilMoving, watch } from '../lib/player-page.mjs';

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
    clip: enhancedClip(clip),
    sound: sound && enhancedClip(sound),
    loop: isEndless,
    paced: isEndless,
  });
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
      assert.deepEqual(await packagerVerdicts(t, tools.packager, server), [
        { folder: 'audio', complaints: [] },
        { folder: '0', complaints: [] },
      ]);
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

// Every kind of stream comes out as it went in, frame for frame, and plays on our own page.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { untilState } from '../lib/broadcast.mjs';
import { useBrowser } from '../lib/browser.mjs';
import { decodeComplaints, packetsOf, streamsOf, untilEnded, urlOf } from '../lib/hls.mjs';
import { clipFacts, publisherFor } from '../lib/publisher.mjs';
import { serverFor, WITHOUT_FFMPEG } from '../lib/server.mjs';
import { untilMoving, watch } from '../lib/player-page.mjs';

/** The 24-bit edge of RTMP's timestamps is at 16,777.216 s: three seconds into the clip. */
const NEAR_THE_EDGE = ['-output_ts_offset', '16774'];

const KINDS = [
  { kind: 'an ordinary stream', clip: 'plain' },
  { kind: 'B-frames', clip: 'bframes' },
  { kind: 'sound alone', clip: 'audio-only' },
  { kind: 'a picture alone', clip: 'video-only' },
  { kind: 'a silent microphone', clip: 'silent-mic' },
  { kind: 'a key frame every ten seconds', clip: 'gop10' },
  { kind: 'times across the 24-bit edge', clip: 'plain', args: NEAR_THE_EDGE },
  { kind: 'B-frames across the 24-bit edge', clip: 'bframes', args: NEAR_THE_EDGE, isLikeOthers: true },
  { kind: 'MP3 sound', clip: 'mp3' },
  { kind: '25 frames a second', clip: '25fps' },
];

const IS_LONG = process.env.RILLCAST_RING === 'all';
const withPage = useBrowser();
const milliseconds = (seconds) => Math.round(seconds * 1000);

/** Times relative to the first packet of the clip: a stream may begin anywhere. */
function since(origin, times) {
  return times.map((time) => time - origin);
}

/**
 * The times a track of the clip has to come out with. B-frames make an encoder begin the sound after the picture; the
 * server begins both together and draws the first frame of sound out.
 */
function expectedTimes(facts, name) {
  const [first, ...others] = facts[name].dts;
  return [name === 'audio' && facts.video ? Math.min(first, facts.video.dts[0]) : first, ...others];
}

describe('what ffmpeg pushes is what ffprobe reads', { concurrency: 4 }, () => {
  for (const { kind, clip, args } of KINDS) {
    test(`${kind}: every frame is there in order, with its times`, async (t) => {
      const server = await serverFor(t, WITHOUT_FFMPEG);
      const facts = await clipFacts(clip);
      // As fast as it is taken: the whole clip fits into the list, which can be read for a minute after the end.
      const publisher = publisherFor(t, server, { clip, args, loop: false, paced: false });
      assert.equal(await publisher.ended, 0, publisher.logs());
      await untilEnded(server);

      const packets = await packetsOf(urlOf(server));
      const kinds = ['video', 'audio'].filter((name) => facts[name]);
      const origin = Math.min(...kinds.map((name) => milliseconds(packets[name][0].dts)));
      const clipOrigin = Math.min(...kinds.map((name) => facts[name].dts[0]));
      for (const name of kinds) {
        const dts = packets[name].map((packet) => milliseconds(packet.dts));
        assert.deepEqual(
          since(origin, dts),
          since(clipOrigin, expectedTimes(facts, name)),
          `${name}: the times differ`,
        );
        const offsets = packets[name].map((packet) => milliseconds(packet.pts) - milliseconds(packet.dts));
        assert.deepEqual(offsets, facts[name].offsets ?? dts.map(() => 0), `${name}: the order of showing differs`);
      }
      const keys = packets.video.flatMap(({ isKey }, at) => (isKey ? [at] : []));
      assert.deepEqual(keys, facts.video?.keys ?? []);
      const codecs = (await streamsOf(urlOf(server))).map((stream) => stream.codec_name);
      assert.deepEqual(codecs.sort(), kinds.map((name) => facts[name].codec).sort());
      assert.equal(await decodeComplaints(urlOf(server), { seconds: 30 }), '');
    });
  }
});

// Three pages at a time: each decodes, and on two cores more of them only wait for each other.
describe('our own page plays', { concurrency: 3 }, () => {
  const watched = KINDS.filter(({ isLikeOthers }) => IS_LONG || !isLikeOthers);
  for (const { kind, clip, args } of watched) {
    test(`${kind}`, async (t) => {
      const server = await serverFor(t);
      publisherFor(t, server, { clip, args });
      await untilState(server, 'live');
      const facts = await clipFacts(clip);
      await withPage({}, async (page) => {
        await watch(page, server);
        const player = await untilMoving(page, { seconds: 3, deadlineMs: 50_000 });
        assert.equal(player.width, facts.video?.width ?? 0);
        assert.equal(player.height, facts.video?.height ?? 0);
        assert.ok(Number(player.latency) > 0, `no distance to live: ${JSON.stringify(player)}`);
      });
    });
  }
});

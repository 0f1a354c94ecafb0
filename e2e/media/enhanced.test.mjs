// What broadcasting software may say beyond RTMP 1.0, tag by tag: forms that no ffmpeg writes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { basicClient, setUp } from '../lib/admin.mjs';
import { untilState } from '../lib/broadcast.mjs';
import { eventually } from '../lib/eventually.mjs';
import { enhancedClip } from '../lib/streaming-tools.mjs';
import { decodeComplaints, get, MASTER, streamsOf, untilEnded, urlOf } from '../lib/hls.mjs';
import { serverFor, WITHOUT_FFMPEG } from '../lib/server.mjs';
import { tagPublisherFor, tagsOf } from '../lib/tags.mjs';

const CAN_RECONNECT = 1;
/** Several tracks, and modifiers; not to reconnect. */
const CANNOT_RECONNECT = 6;
const RECONNECT = 'NetConnection.Connect.ReconnectRequest';

test('HEVC by its old number is decoded by ffmpeg, and further tracks are counted', async (t) => {
  const server = await serverFor(t, WITHOUT_FFMPEG);
  await setUp(server);
  const publisher = await tagPublisherFor(t, server);
  const tags = await tagsOf(enhancedClip('hevc-old-flac'));
  // Track 1 of the sound, in one message of its own.
  const further = { kind: 8, timestamp: 0, body: Buffer.from('\x95\x01Opus\x01\xfc', 'latin1') };
  publisher.send([...tags, further]);
  await untilState(server, 'live');
  const admin = basicClient(server);
  const found = await eventually(async () => {
    const { diagnosis } = (await admin.get('/api/admin/stream')).json();
    return diagnosis.find(({ code }) => code === 'further-tracks');
  });
  assert.match(found.message, /0 video, 1 audio/);
  publisher.stop();
  await untilEnded(server);
  assert.match((await get(server, MASTER)).text, /CODECS="hvc1\.1\.6\.L60\.90,fLaC"/);
  const codecs = (await streamsOf(urlOf(server))).map((stream) => stream.codec_name);
  assert.deepEqual(codecs.sort(), ['flac', 'hevc']);
  assert.equal(await decodeComplaints(urlOf(server), { seconds: 30 }), '');
});

describe('before the server stops', { concurrency: 3 }, () => {
  for (const [what, capabilities, isAsked] of [
    ['is asked to reconnect if it can', CAN_RECONNECT, true],
    ['is not asked to reconnect if it does not say that it can', CANNOT_RECONNECT, false],
    ['hears nothing of it if it speaks RTMP 1.0', undefined, false],
  ]) {
    test(`broadcasting software ${what}`, async (t) => {
      const server = await serverFor(t);
      const publisher = await tagPublisherFor(t, server, { capabilities });
      publisher.send(await tagsOf(enhancedClip('av1-opus')));
      await untilState(server, 'live');
      assert.equal(await server.stop(), 0);
      await eventually(publisher.isClosed);
      assert.equal(publisher.said().includes(RECONNECT), isAsked);
      assert.ok(publisher.said().includes('NetStream.Unpublish.Success'));
    });
  }
});

// Shaka Packager reads everything that viewers are given, to the last frame and without a warning: what is passed
// through, what follows a loss or a change of parameters, and what is encoded.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { untilState } from '../lib/broadcast.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { enhancedClip, streamingTools } from '../lib/streaming-tools.mjs';
import { get, MASTER, renditionsIn, stretchesOf, untilEnded, untilSegments, VIDEO } from '../lib/hls.mjs';
import { mixedPublisherFor } from '../lib/mixed-publisher.mjs';
import { packagerComplaints, packagerVerdicts } from '../lib/packager.mjs';
import { clipPath, publisherFor } from '../lib/publisher.mjs';
import { ladderFor, SIZES, SOURCE_SIZE, untilEncoder, untilQualities } from '../lib/qualities.mjs';
import { serverFor, WITHOUT_FFMPEG } from '../lib/server.mjs';
import { tagPublisherFor, tagsOf } from '../lib/tags.mjs';

/** Whole segments of everything that is encoded, before it is looked at. */
const SEGMENTS = 3;
/** An encoder that starts late, and the segments after it. */
const SEGMENTS_DEADLINE_MS = 60_000;
/** What comes back from the encoder of all qualities: two pictures, and the sound where it is encoded. */
const OUTPUTS = 3;
/** Nearly all clips are as long. */
const CLIP_MS = 8_000;
/** In a fragment, its own head and its number stand before the track. */
const TRACK_AT = 24;
/** What is missing at the end, where the last picture is. */
const CUT_BYTES = 50;

/** Init segments of each list by its folder, where nothing has changed on the way. */
const USUAL = { 0: 1, audio: 1 };
/** Shaka Packager writes MP3 into MP4 and does not read it: it warns of an unknown codec, whoever wrote the file. */
const WITHOUT_MP3 = { leftOut: ['audio'] };

const KINDS = [
  { kind: 'H.264 with AAC', clip: 'plain', inits: USUAL },
  { kind: 'H.264 with B-frames', clip: 'bframes', inits: USUAL },
  { kind: '25 frames a second', clip: '25fps', inits: USUAL },
  { kind: '1080 lines, which are coded as 1088', clip: '1080p', inits: USUAL },
  { kind: 'a key frame every ten seconds', clip: 'gop10', inits: USUAL },
  { kind: 'a silent microphone', clip: 'silent-mic', inits: USUAL },
  { kind: 'a picture alone', clip: 'video-only', inits: { 0: 1 } },
  { kind: 'sound alone', clip: 'audio-only', inits: { 0: 1 } },
  { kind: 'the picture beside MP3', clip: 'mp3', inits: { 0: 1 }, options: WITHOUT_MP3 },
];

let tools;
before(async () => {
  tools = await streamingTools();
});

const withTools = (body) => (t) => (tools ? body(t) : t.skip('the newer tools cannot be installed here'));

/** Everything that is offered is read without a word, and each list has as many init segments as `inits` says. */
async function isRead(t, server, inits, options) {
  const verdicts = await packagerVerdicts(t, tools.packager, server, options);
  assert.deepEqual(
    verdicts.filter(({ complaints }) => complaints.length > 0),
    [],
  );
  const counted = {};
  for (const { folder } of verdicts) counted[folder] = (counted[folder] ?? 0) + 1;
  assert.deepEqual(counted, inits);
}

/** Publishes a clip to its end and as fast as it is taken: it fits into the list, which can be read for a minute. */
async function sendWhole(t, server, clip) {
  const publisher = publisherFor(t, server, { clip, loop: false, paced: false });
  assert.equal(await publisher.ended, 0, publisher.logs());
  await untilEnded(server);
}

/** Publishes a clip until there is something of it, and is lost. */
async function sendAndLose(t, server, clip) {
  const publisher = publisherFor(t, server, { clip });
  await untilSegments(server);
  await publisher.kill();
  await untilState(server, 'waiting');
}

describe('what is passed through', { concurrency: 2 }, () => {
  for (const { kind, clip, inits, options } of KINDS) {
    test(
      `${kind} is read by Shaka Packager to the last frame`,
      withTools(async (t) => {
        const server = await serverFor(t, WITHOUT_FFMPEG);
        await sendWhole(t, server, clip);
        await isRead(t, server, inits, options);
      }),
    );
  }

  for (const { kind, clip } of KINDS.slice(0, 2)) {
    test(
      `${kind} from a publisher that is lost and returns is read by Shaka Packager as one`,
      withTools(async (t) => {
        const server = await serverFor(t, WITHOUT_FFMPEG);
        await sendAndLose(t, server, clip);
        await sendWhole(t, server, clip);
        await isRead(t, server, USUAL);
      }),
    );
  }

  test(
    'a publisher that returns with another picture is read by Shaka Packager before and after',
    withTools(async (t) => {
      const server = await serverFor(t, WITHOUT_FFMPEG);
      await sendAndLose(t, server, '360p');
      await sendWhole(t, server, '1080p');
      await isRead(t, server, { 0: 2, audio: 2 });
    }),
  );

  test(
    'other parameters in the middle of a connection are read by Shaka Packager before and after',
    withTools(async (t) => {
      const server = await serverFor(t, WITHOUT_FFMPEG);
      const publisher = await tagPublisherFor(t, server);
      const later = (await tagsOf(clipPath('360p'))).map((tag) => ({ ...tag, timestamp: tag.timestamp + CLIP_MS }));
      publisher.send([...(await tagsOf(clipPath('plain'))), ...later]);
      await untilState(server, 'live');
      publisher.stop();
      await untilEnded(server);
      await isRead(t, server, { 0: 2, audio: 2 });
    }),
  );
});

/** Waits until every list has some whole segments: those that are encoded come later. */
async function untilAllHaveSegments(server) {
  const lists = renditionsIn((await get(server, MASTER)).text);
  const options = { deadlineMs: SEGMENTS_DEADLINE_MS };
  await Promise.all(lists.map(({ path }) => untilSegments(server, SEGMENTS, { ...options, path })));
}

describe('what is encoded', { concurrency: 2 }, () => {
  test(
    'every quality of a picture with B-frames is read by Shaka Packager',
    withTools(async (t) => {
      const publish = (server) => publisherFor(t, server, { clip: 'bframes' });
      const { server } = await ladderFor(t, { sizes: ['320x180', '320x180', '160x90'], publish });
      await untilAllHaveSegments(server);
      await isRead(t, server, { 0: 1, 1: 1, 2: 1, audio: 1 });
    }),
  );

  test(
    'qualities and AAC beside Opus are read by Shaka Packager, and again when the encoder was killed',
    withTools(async (t) => {
      const clips = { picture: clipPath('360p'), sound: enhancedClip('av1-opus') };
      const publish = (server) => mixedPublisherFor(t, server, clips);
      // Each picture with the sound that is sent, and with AAC.
      const sizes = SIZES.flatMap((size) => [size, size]);
      const inits = { 0: 1, 1: 1, 2: 1, audio: 1, aac: 1 };
      const { server } = await ladderFor(t, { sizes, publish });
      await untilAllHaveSegments(server);
      await isRead(t, server, inits);
      process.kill(await untilEncoder(server, OUTPUTS), 'SIGKILL');
      await untilQualities(server, [SOURCE_SIZE]);
      await untilQualities(server, sizes);
      await untilAllHaveSegments(server);
      await isRead(t, server, inits);
    }),
  );

  test(
    'AAC that is made of MP3 is read by Shaka Packager',
    withTools(async (t) => {
      const server = await serverFor(t);
      publisherFor(t, server, { clip: 'mp3' });
      const path = '/hls/aac/stream.m3u8';
      await untilSegments(server, SEGMENTS, { path, deadlineMs: SEGMENTS_DEADLINE_MS });
      await isRead(t, server, { 0: 1, aac: 1 }, WITHOUT_MP3);
    }),
  );
});

test(
  'Shaka Packager complains about a box that does not fit, and about a segment that is cut short',
  withTools(async (t) => {
    const server = await serverFor(t, WITHOUT_FFMPEG);
    await sendWhole(t, server, 'plain');
    const folder = await scratchFolder(t);
    const [{ init, segments }] = await stretchesOf(server, VIDEO);
    const complaints = (name, pieces) =>
      packagerComplaints(tools.packager, { init, segments: pieces }, { kind: 'video', file: join(folder, name) });
    assert.deepEqual(await complaints('whole.mp4', segments), []);

    const [first, second, ...others] = segments;
    assert.equal(second.toString('latin1', TRACK_AT + 4, TRACK_AT + 8), 'traf');
    const swollen = Buffer.from(second);
    swollen[TRACK_AT] ^= 0x40;
    assert.notDeepEqual(await complaints('swollen.mp4', [first, swollen, ...others]), []);

    const cut = segments.at(-1).subarray(0, -CUT_BYTES);
    assert.notDeepEqual(await complaints('cut.mp4', [...segments.slice(0, -1), cut]), []);
  }),
);

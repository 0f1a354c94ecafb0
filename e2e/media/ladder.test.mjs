// Further qualities of the picture, encoded by an ffmpeg beside the server: cut where the source is, changed on our own
// page without a gap, and lost for a moment when their encoder is, while everything else plays on.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { untilState } from '../lib/broadcast.mjs';
import { useBrowser } from '../lib/browser.mjs';
import { keepsRules } from '../lib/playlist-check.mjs';
import { afterwards, scratchFolder } from '../lib/cleanup.mjs';
import { eventually } from '../lib/eventually.mjs';
import { decodeComplaints, packetsOf, streamsOf, stretchesOf, untilSegments } from '../lib/hls.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import {
  ladderFor,
  ladderOf,
  QUALITIES,
  SIZES,
  SOURCE_SIZE,
  untilEncoder,
  untilLadder,
  untilNoFfmpeg,
  untilNoZombie,
  untilQualities,
} from '../lib/qualities.mjs';
import { chooseQuality, isMarked, mark, openMenu, untilMoving, watch, watchHoles } from '../lib/player-page.mjs';

const IS_LONG = process.env.RILLCAST_RING === 'all';
const only = (isShort) => ({ skip: !isShort && !IS_LONG && 'only in the long ring' });
const withPage = useBrowser();

const HEIGHTS = { Untouched: 360, Half: 180, Tiny: 90 };
/** From the source to each of them and back, again and again; where time is short, once around. */
const THERE_AND_BACK = ['Untouched', 'Half', 'Untouched', 'Tiny', 'Untouched'];
const CHANGES = IS_LONG ? Array.from({ length: 2 }, () => THERE_AND_BACK).flat() : ['Half', 'Tiny', 'Untouched'];
/** Whole segments that are waited for in every quality, and how many of them all must have: one may be ahead. */
const SEGMENTS = 4;
const COMPARED = 3;
/** An encoder that starts late, and the segments after it. */
const SEGMENTS_DEADLINE_MS = 60_000;
/** Longer than the list is. */
const RULES_SECONDS = 30;
/** The list of a quality that is gone is not found, and one that stands still ends blocked requests with 503. */
const QUALITY_IS_GONE = [/status of 404/, /status of 503/];

/** Where the encoder writes the first of its qualities. */
const FIRST_PIPE = 3;
/** As much as the system writes at once, between two pictures and not into one. */
const NOISE_BYTES = 4096;

const KINDS = [
  { kind: 'an ordinary stream', clip: '360p', sizes: SIZES, isShort: true },
  // Qualities are never larger than what comes, so one of these is as large as the source.
  { kind: 'B-frames', clip: 'bframes', sizes: ['320x180', '320x180', '160x90'] },
  { kind: '25 frames a second', clip: '25fps', sizes: ['320x180', '320x180', '160x90'] },
];

/** A broadcast in all qualities: `{ server, admin, publisher, listed }`. */
function broadcastFor(t, { clip = '360p', sizes = SIZES } = {}) {
  return ladderFor(t, { sizes, publish: (server) => publisherFor(t, server, { clip }) });
}

/** Ends the broadcast as its operator would; nothing that was started for it may be left. */
async function endsCleanly({ server, admin, publisher }) {
  await publisher.stop();
  await untilState(server, 'offline');
  await untilNoFfmpeg(server);
  await eventually(async () => (await ladderOf(admin)) === null);
  assert.doesNotMatch(server.logs(), /panicked|ERROR/);
}

/** The whole segments of a quality, by their numbers, and the init segment they need. */
async function wholeSegments(server, path) {
  const stretches = await stretchesOf(server, path);
  assert.equal(stretches.length, 1, `one init segment is enough for ${path}`);
  const [{ init, first, segments }] = stretches;
  return { init, found: new Map(segments.map((segment, at) => [first + at, segment])) };
}

/** Where ffprobe finds the first picture of a segment. */
async function beginning(file, init, segment) {
  await writeFile(file, Buffer.concat([init, segment]));
  const [{ dts, pts, isKey }] = (await packetsOf(file)).video;
  return { dts, pts, isKey };
}

describe('every quality', { concurrency: 2 }, () => {
  for (const { kind, clip, sizes, isShort } of KINDS) {
    test(`of ${kind} can be decoded, and its segments begin where those of the source do`, only(isShort), async (t) => {
      const broadcast = await broadcastFor(t, { clip, sizes });
      const { server, listed } = broadcast;
      const folder = await scratchFolder(t);
      for (const { path, codecs } of listed) {
        assert.match(codecs, /^avc1\.[0-9a-f]{6},mp4a\.40\.2$/i);
        await untilSegments(server, SEGMENTS, { path, deadlineMs: SEGMENTS_DEADLINE_MS });
      }
      const all = await Promise.all(listed.map(({ path }) => wholeSegments(server, path)));

      for (const [at, { init, found }] of all.entries()) {
        const { size } = listed[at];
        const file = join(folder, `${at}.mp4`);
        await writeFile(file, Buffer.concat([init, ...found.values()]));
        const [stream] = await streamsOf(file);
        assert.deepEqual([stream.codec_name, `${stream.width}x${stream.height}`], ['h264', size]);
        assert.equal(await decodeComplaints(file, { seconds: 30 }), '', size);
      }

      const numbers = all.map(({ found }) => [...found.keys()]);
      const common = numbers[0].filter((number) => all.every(({ found }) => found.has(number)));
      assert.ok(common.length >= COMPARED, `too few in common: ${numbers.join(' | ')}`);
      for (const number of common) {
        const begins = await Promise.all(
          all.map(({ init, found }, at) => beginning(join(folder, `${at}-${number}.mp4`), init, found.get(number))),
        );
        for (const begin of begins) {
          assert.ok(begin.isKey, `segment ${number} begins with a key frame`);
          assert.deepEqual(begin, begins[0], `segment ${number} does not begin at the same time everywhere`);
        }
      }
      await endsCleanly(broadcast);
    });
  }

  test('keeps the rules of HLS beside the others', only(false), async (t) => {
    const broadcast = await broadcastFor(t);
    await keepsRules(broadcast.server, { seconds: RULES_SECONDS });
    await endsCleanly(broadcast);
  });
});

/** To a process that may be gone. */
function signalTo(id, signal) {
  try {
    process.kill(id, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** The encoder is done harm to while a page shows `watched`; `failure` is what the operator reads about it. */
async function survives(t, { watched, harm, failure }) {
  const broadcast = await broadcastFor(t);
  const { server, admin } = broadcast;
  const isSource = watched === 'Untouched';
  await withPage({ allow: isSource ? [] : QUALITY_IS_GONE }, async (page) => {
    await watch(page, server);
    await untilMoving(page);
    await mark(page);
    await openMenu(page);
    await chooseQuality(page, watched, HEIGHTS[watched]);
    const holes = await watchHoles(page);
    const before = await untilLadder(admin, ({ rungs }) => rungs?.every(({ offered }) => offered));
    const encoder = await untilEncoder(server);
    // Should the test end here, it must not stay behind stopped: nothing but this wakes it.
    afterwards(t, () => signalTo(encoder, 'SIGCONT'));
    await harm(encoder);

    await untilQualities(server, [SOURCE_SIZE]);
    await untilMoving(page, { seconds: 2 });
    const words = ({ lastFailure }) => failure.test(lastFailure ?? '');
    await untilLadder(admin, words);
    await untilQualities(server);
    const isBack = ({ running, restarts, rungs }) =>
      running && restarts > before.restarts && rungs.every(({ offered }) => offered);
    const after = await untilLadder(admin, isBack);
    assert.ok(words(after), `another failure came after it: ${after.lastFailure}`);
    assert.notEqual(await untilEncoder(server), encoder);
    await untilNoZombie(server);
    await untilMoving(page);
    if (isSource) assert.deepEqual(await holes(), []);
    assert.ok(await isMarked(page), 'the page was loaded again');
  });
  await endsCleanly(broadcast);
}

const KILLED = { harm: (encoder) => process.kill(encoder, 'SIGKILL'), failure: /^ffmpeg gave up: signal: 9/ };
const STOPPED = { harm: (encoder) => process.kill(encoder, 'SIGSTOP'), failure: /^ffmpeg does not answer/ };
/** As if it wrote this itself in the middle of a quality that is offered: the pipe is the same. */
const NOISY = {
  harm: (encoder) => writeFile(`/proc/${encoder}/fd/${FIRST_PIPE}`, Buffer.alloc(NOISE_BYTES, 0xff)),
  failure: /^what ffmpeg wrote cannot be used/,
};

describe('our own page with several qualities', { concurrency: 2 }, () => {
  test('calls qualities what the operator calls them, and changes between them without a gap', async (t) => {
    const broadcast = await broadcastFor(t);
    await withPage({}, async (page) => {
      await watch(page, broadcast.server);
      await untilMoving(page);
      await mark(page);
      const shown = await openMenu(page);
      const wanted = ['Automatic', ...QUALITIES.map(({ name }) => name)].sort();
      await eventually(async () => {
        const names = (await shown()).map((name) => name.trim());
        if (names.sort().join() !== wanted.join()) throw new Error(`the menu has ${names}, not ${wanted}`);
        return true;
      });
      const holes = await watchHoles(page);
      for (const name of CHANGES) {
        const before = (await untilMoving(page)).time;
        const { time } = await chooseQuality(page, name, HEIGHTS[name]);
        assert.ok(time > before, `${name}: from ${before} to ${time}`);
        assert.deepEqual(await holes(), [], `after the change to ${name}`);
      }
      assert.ok(await isMarked(page), 'the page was loaded again');
    });
    const { restarts, lastFailure } = await ladderOf(broadcast.admin);
    assert.deepEqual([restarts, lastFailure], [0, null]);
    await endsCleanly(broadcast);
  });

  test('an encoder that is killed costs its qualities for a moment, and their viewers go on with another one', (t) =>
    survives(t, { ...KILLED, watched: 'Half' }));

  test('an encoder that is killed is not noticed by those who watch the source', only(false), (t) =>
    survives(t, { ...KILLED, watched: 'Untouched' }),
  );

  test(
    'an encoder that hangs costs its qualities for a moment, and their viewers go on with another one',
    only(false),
    (t) => survives(t, { ...STOPPED, watched: 'Half' }),
  );

  test('an encoder that hangs is not noticed by those who watch the source', only(false), (t) =>
    survives(t, { ...STOPPED, watched: 'Untouched' }),
  );

  test(
    'an encoder that writes noise costs its qualities for a moment, and their viewers go on with another one',
    only(false),
    (t) => survives(t, { ...NOISY, watched: 'Half' }),
  );

  test('an encoder that writes noise is not noticed by those who watch the source', only(false), (t) =>
    survives(t, { ...NOISY, watched: 'Untouched' }),
  );
});

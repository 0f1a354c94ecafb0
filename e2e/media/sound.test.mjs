// Sound that not every browser can play, and the AAC that an encoder makes of it beside: who is heard with which, and
// what becomes of them when the encoder dies.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setUp } from '../lib/admin.mjs';
import { untilState } from '../lib/broadcast.mjs';
import { useBrowser } from '../lib/browser.mjs';
import { eventually } from '../lib/eventually.mjs';
import { enhancedClip } from '../lib/streaming-tools.mjs';
import { get, MASTER } from '../lib/hls.mjs';
import { mixedPublisherFor } from '../lib/mixed-publisher.mjs';
import { clipPath, publisherFor } from '../lib/publisher.mjs';
import {
  askFor,
  ladderFor,
  QUALITIES,
  SOURCE_SIZE,
  untilEncoder,
  untilNoFfmpeg,
  untilQualities,
} from '../lib/qualities.mjs';
import { serverFor } from '../lib/server.mjs';
import { chooseQuality, isMarked, mark, openMenu, untilMoving, watch, watchHoles } from '../lib/player-page.mjs';

const IS_LONG = process.env.RILLCAST_RING === 'all';
const onlyLong = { skip: !IS_LONG && 'only in the long ring' };
const withPage = useBrowser();

const HEIGHTS = { Half: 180, Untouched: 360 };
const WANTED = QUALITIES.filter(({ name }) => name in HEIGHTS);
/** Each of them with the sound that is sent, and with AAC. */
const WITH_EITHER_SOUND = ['320x180', '320x180', '640x360', '640x360'];
/** What comes back from the encoder: one picture, and the sound. */
const OUTPUTS = 2;
/** From the death of an encoder until its sound is there again, on a machine that is busy with a browser. */
const BACK_DEADLINE_MS = 60_000;
/** What the encoder makes is not found while it is gone, and lists that stand still end blocked requests with 503. */
const ENCODER_IS_GONE = [/status of 404/, /status of 503/];

/** The groups of sound whose lists the page asks for, from now on. */
function soundsOf(page) {
  const sounds = new Set();
  page.on('request', (request) => {
    const list = new URL(request.url()).pathname.match(/^\/hls\/(audio|aac)\/stream\.m3u8$/);
    if (list) sounds.add(list[1]);
  });
  return sounds;
}

/** Waits until the list of renditions has AAC, or has none. */
function untilAac(server, isListed) {
  return eventually(
    async () => {
      const { text } = await get(server, MASTER);
      if (text.includes('GROUP-ID="aac"') !== isListed) throw new Error(`not as wanted:\n${text}`);
      return true;
    },
    { deadlineMs: BACK_DEADLINE_MS },
  );
}

/** H.264 with Opus, in two qualities: `{ server, publisher }`, once each is listed with either sound. */
function opusFor(t) {
  const clips = { picture: clipPath('360p'), sound: enhancedClip('av1-opus') };
  const publish = (server) => mixedPublisherFor(t, server, clips);
  return ladderFor(t, { qualities: WANTED, sizes: WITH_EITHER_SOUND, publish });
}

/** Nothing that was started for a broadcast may be left. */
async function endsCleanly({ server, publisher }) {
  publisher.stop();
  await untilState(server, 'offline');
  await untilNoFfmpeg(server);
  assert.doesNotMatch(server.logs(), /panicked|ERROR/);
}

describe('a browser that plays Opus', { concurrency: 1 }, () => {
  test('hears what is sent in every quality, and nothing of an encoder that is killed', async (t) => {
    const broadcast = await opusFor(t);
    const { server } = broadcast;
    await withPage({}, async (page) => {
      const sounds = soundsOf(page);
      await watch(page, server);
      await untilMoving(page);
      await mark(page);
      const shown = await openMenu(page);
      await eventually(async () => {
        const names = (await shown()).map((name) => name.trim()).sort();
        if (names.join() !== 'Automatic,Half,Untouched') throw new Error(`the menu has ${names}`);
        return true;
      });
      for (const name of ['Half', 'Untouched']) await chooseQuality(page, name, HEIGHTS[name]);
      const holes = await watchHoles(page);
      process.kill(await untilEncoder(server, OUTPUTS), 'SIGKILL');
      await untilQualities(server, [SOURCE_SIZE]);
      await untilMoving(page, { seconds: 3 });
      assert.deepEqual(await holes(), []);
      assert.deepEqual([...sounds], ['audio']);
      assert.ok(await isMarked(page), 'the page was loaded again');
    });
    await endsCleanly(broadcast);
  });

  test('goes on with the source, and its own sound, when it watched what the encoder made', onlyLong, async (t) => {
    const broadcast = await opusFor(t);
    const { server } = broadcast;
    await withPage({ allow: ENCODER_IS_GONE }, async (page) => {
      const sounds = soundsOf(page);
      await watch(page, server);
      await untilMoving(page);
      await mark(page);
      await openMenu(page);
      await chooseQuality(page, 'Half', HEIGHTS.Half);
      process.kill(await untilEncoder(server, OUTPUTS), 'SIGKILL');
      await untilQualities(server, [SOURCE_SIZE]);
      await untilMoving(page, { seconds: 2 });
      await untilQualities(server, WITH_EITHER_SOUND);
      await untilMoving(page);
      assert.deepEqual([...sounds], ['audio']);
      assert.ok(await isMarked(page), 'the page was loaded again');
    });
    await endsCleanly(broadcast);
  });
});

test(
  'a browser that does not play MP3 hears AAC, also if it came before there was any, and again after its encoder died',
  onlyLong,
  async (t) => {
    const server = await serverFor(t);
    const admin = await setUp(server);
    await askFor(
      admin,
      WANTED.filter(({ videoPassthrough }) => videoPassthrough),
    );
    publisherFor(t, server, { clip: 'mp3' });
    await untilState(server, 'live');
    await withPage({ allow: ENCODER_IS_GONE }, async (page) => {
      const sounds = soundsOf(page);
      await watch(page, server);
      await untilMoving(page, { seconds: 3, deadlineMs: BACK_DEADLINE_MS });
      assert.ok(sounds.has('aac'), [...sounds].join());
      await mark(page);
      // The sound is all that is encoded.
      process.kill(await untilEncoder(server, 1), 'SIGKILL');
      await untilAac(server, false);
      await untilAac(server, true);
      await untilMoving(page, { seconds: 3, deadlineMs: BACK_DEADLINE_MS });
      assert.ok(await isMarked(page), 'the page was loaded again');
    });
    assert.doesNotMatch(server.logs(), /panicked|ERROR/);
  },
);

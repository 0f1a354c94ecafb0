// A picture that the browser cannot decode: the page says so, and the sound can be heard. Chromium comes without HEVC.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setUp } from '../lib/admin.mjs';
import { untilState } from '../lib/broadcast.mjs';
import { shot, useBrowser } from '../lib/browser.mjs';
import { afterwards } from '../lib/cleanup.mjs';
import { enhancedClip } from '../lib/streaming-tools.mjs';
import { serverFor, WITHOUT_FFMPEG } from '../lib/server.mjs';
import { tagPublisherFor, tagsOf } from '../lib/tags.mjs';
import { untilMoving, untilPlayer, watch } from '../lib/player-page.mjs';

const withPage = useBrowser();
const CLIP_MS = 4_000;
const TICK_MS = 20;
const SCRIPT = 18;
/** The first byte of a tag of Enhanced RTMP that says what follows, and is said once. */
const isHeader = ({ kind, body }) => kind === SCRIPT || (body[0] & 0x0f) === 0;

/** Sends a clip in real time, again and again, until test `t` has ended. */
async function broadcastFor(t, server, clip) {
  const publisher = await tagPublisherFor(t, server);
  const tags = await tagsOf(enhancedClip(clip));
  publisher.send(tags.filter(isHeader));
  const media = tags.filter((tag) => !isHeader(tag));
  const begun = Date.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (;;) {
      const tag = media[sent % media.length];
      const timestamp = tag.timestamp + CLIP_MS * Math.floor(sent / media.length);
      if (timestamp > Date.now() - begun) return;
      publisher.send([{ ...tag, timestamp }]);
      sent += 1;
    }
  }, TICK_MS);
  afterwards(t, () => clearInterval(timer));
}

test('a page that cannot show HEVC says so, and plays its sound', async (t) => {
  const server = await serverFor(t, WITHOUT_FFMPEG);
  await setUp(server, { name: 'Brook Radio' });
  await broadcastFor(t, server, 'hevc-opus');
  await untilState(server, 'live');
  await withPage({}, async (page) => {
    await watch(page, server);
    await untilPlayer(page, 'unplayable');
    const player = page.locator('#player');
    await player.getByText('Your browser cannot show HEVC').waitFor();
    await player.getByText(`${server.http}/hls/stream.m3u8`).waitFor();
    await shot(page, 'player-unplayable');
    await player.getByRole('button', { name: 'Listen to the sound' }).click();
    const { width } = await untilMoving(page, { seconds: 3 });
    assert.equal(width, 0);
    await player.getByText('Brook Radio').waitFor();
    await player.getByText('Your browser cannot show HEVC').waitFor();
    await shot(page, 'player-listening');
  });
});

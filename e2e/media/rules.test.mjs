// The playlists keep the rules of HLS and low-latency HLS while a stream lives: constancy over time is the point, so
// the checker follows them. In the long ring it follows every kind of stream for longer than the list is long.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { untilState } from '../lib/broadcast.mjs';
import { keepsRules } from '../lib/playlist-check.mjs';
import { untilPlaylist } from '../lib/hls.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor } from '../lib/server.mjs';

const IS_LONG = process.env.RILLCAST_RING === 'all';
const SECONDS = IS_LONG ? 30 : 12;
/** The list of level 4, with segments of six seconds, is longer. */
const PATIENT_SECONDS = IS_LONG ? 48 : 12;
const only = (isShort) => ({ skip: !isShort && !IS_LONG && 'only in the long ring' });

const KINDS = [
  { clip: 'plain', isShort: true },
  { clip: 'bframes', isShort: true },
  { clip: 'audio-only' },
  { clip: 'video-only' },
  { clip: 'silent-mic' },
  { clip: 'gop10', isShort: true },
  { clip: '25fps' },
  // Not everybody can play its sound, so it is there as AAC, too, a moment later.
  { clip: 'mp3', further: '/hls/aac/stream.m3u8' },
];
/** Level 2 is the default, which the other tests have. Level 4 has no parts. */
const LEVELS = [0, 1, 3, 4];

describe('the playlists keep the rules', { concurrency: IS_LONG ? 4 : 6 }, () => {
  for (const { clip, isShort, further } of KINDS) {
    test(`of a stream like ${clip}`, only(isShort), async (t) => {
      const server = await serverFor(t);
      publisherFor(t, server, { clip });
      await untilState(server, 'live');
      // The checker reads once which lists there are.
      if (further) await untilPlaylist(server, ({ parts }) => parts.length > 0, { path: further });
      await keepsRules(server, { seconds: SECONDS });
    });
  }

  for (const level of LEVELS) {
    test(`at latency level ${level}`, only(level === 0), async (t) => {
      const server = await serverFor(t, { args: ['--set', `latency_level=${level}`] });
      publisherFor(t, server);
      // Without parts there is nothing to see before the first whole segment.
      await untilState(server, 'live');
      await keepsRules(server, { seconds: level === 4 ? PATIENT_SECONDS : SECONDS });
    });
  }

  test('across the loss and the return of the same publisher, without a discontinuity', async (t) => {
    const server = await serverFor(t);
    const first = publisherFor(t, server);
    await untilPlaylist(server, ({ parts }) => parts.length >= 3);
    const meanwhile = async () => {
      await first.kill();
      await untilState(server, 'waiting');
      const { hint } = await untilPlaylist(server);
      publisherFor(t, server);
      // What was announced before the loss comes now, while what was before it is still in the list.
      const { discontinuities } = await untilPlaylist(server, ({ parts }) => parts.some(({ URI }) => URI === hint.URI));
      assert.equal(discontinuities, 0);
    };
    await keepsRules(server, { seconds: SECONDS, meanwhile });
  });

  test('across a change of the picture from 360 to 1080 lines', async (t) => {
    const server = await serverFor(t);
    const first = publisherFor(t, server, { clip: '360p' });
    await untilPlaylist(server, ({ parts }) => parts.length >= 3);
    const meanwhile = async () => {
      await first.kill();
      await untilState(server, 'waiting');
      publisherFor(t, server, { clip: '1080p' });
      await untilState(server, 'live');
      const { maps } = await untilPlaylist(server, ({ discontinuities }) => discontinuities === 1);
      assert.equal(new Set(maps).size, 2);
    };
    await keepsRules(server, { seconds: SECONDS, meanwhile });
  });
});

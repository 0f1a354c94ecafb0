// A server that goes and comes back in the middle of a broadcast: what players that stayed get to see, and how long it waits.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { PASSWORD, basicClient } from '../lib/admin.mjs';
import { pastStreams, untilEvents, untilState } from '../lib/broadcast.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { AUDIO, untilPlaylist, untilSegments, VIDEO } from '../lib/hls.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor } from '../lib/server.mjs';

const IS_LONG = process.env.RILLCAST_RING === 'all';
const ADMIN = ['--admin-password', PASSWORD];
const RESTARTS = IS_LONG ? 6 : 2;
const PLAYLISTS = [VIDEO, AUDIO];
/** The last restarts come at once, before there is a single segment: the hard case for numbers that must not be used twice. */
const isHasty = (round) => round >= RESTARTS - 1;

/** What a player remembers of a playlist. */
function remember({ text, mediaSequence, segments, parts, maps }) {
  const discontinuity = Number(text.match(/#EXT-X-DISCONTINUITY-SEQUENCE:(\d+)/)?.[1] ?? 0);
  const named = [...segments, ...parts.map(({ URI }) => URI), ...maps];
  // The last is the one whose parts are still coming.
  return { discontinuity, first: mediaSequence, last: mediaSequence + segments.length, names: new Set(named) };
}

async function rememberAll(server, round) {
  const looks = PLAYLISTS.map((path) =>
    isHasty(round) ? untilPlaylist(server, undefined, { path }) : untilSegments(server, 2, { path }),
  );
  return (await Promise.all(looks)).map(remember);
}

describe('a broadcast outlives its server', { concurrency: 2 }, () => {
  for (const how of ['kill', 'stop'])
    test(`numbers grow and no name comes twice across ${RESTARTS} restarts after a ${how}`, async (t) => {
      const dataDir = join(await scratchFolder(t), 'data');
      let server = await serverFor(t, { args: ADMIN, dataDir });
      let publisher = publisherFor(t, server);
      await untilState(server, 'live');
      await untilEvents(server, 'StreamStarted', 1);
      let before = await rememberAll(server, 0);
      for (let round = 1; round <= RESTARTS; round += 1) {
        await server[how]();
        await publisher.kill();
        server = await serverFor(t, { args: ADMIN, dataDir });
        await untilState(server, 'waiting');
        publisher = publisherFor(t, server);
        await untilState(server, 'live');
        const now = await rememberAll(server, round);
        for (const [index, path] of PLAYLISTS.entries()) {
          const [then, after] = [before[index], now[index]];
          const comparison = `${path} after restart ${round}: ${JSON.stringify({ ...then, ...after })}`;
          assert.ok(after.first > then.last, `the numbers did not move on: ${comparison}`);
          assert.ok(after.discontinuity > then.discontinuity, `the discontinuity is not told: ${comparison}`);
          for (const name of after.names) assert.ok(!then.names.has(name), `${name} was used before: ${comparison}`);
        }
        before = now;
      }
      assert.equal((await pastStreams(basicClient(server))).length, 1, 'it is still one broadcast');
    });

  test('a publisher that does not come back to a server that was restarted ends the broadcast after the grace time', async (t) => {
    const dataDir = join(await scratchFolder(t), 'data');
    // Long enough to be seen waiting after a slow start.
    const args = [...ADMIN, '--set', 'grace_seconds=10'];
    const first = await serverFor(t, { args, dataDir });
    publisherFor(t, first);
    await untilState(first, 'live');
    await untilEvents(first, 'StreamStarted', 1);
    await first.kill();
    const second = await serverFor(t, { args, dataDir });
    await untilState(second, 'waiting');
    await untilState(second, 'offline');
    await untilEvents(second, 'StreamStopped', 1);
    const [stream] = await pastStreams(basicClient(second));
    assert.ok(stream.endedAt, 'the history has its end');
    const third = await second.stop().then(() => serverFor(t, { args, dataDir }));
    await untilState(third, 'offline');
    assert.equal((await pastStreams(basicClient(third))).length, 1);
  });
});

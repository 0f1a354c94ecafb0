// Who may publish, who has to wait, and how a broadcast ends.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PASSWORD, basicClient } from '../lib/admin.mjs';
import { countEvents, pastStreams, status, untilEvents, untilState } from '../lib/broadcast.mjs';
import { makePair } from '../lib/certificates.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { eventually } from '../lib/eventually.mjs';
import { get, MASTER, playlist, untilEnded, untilPlaylist } from '../lib/hls.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor } from '../lib/server.mjs';

const ADMIN = ['--admin-password', PASSWORD];
const KEYS = [
  { key: 'ordinary-key-0001', comment: 'studio' },
  { key: 'ordinary-key-0002', comment: 'laptop' },
  { key: 'take-over-key-003', comment: 'director', takeOver: true },
];
const [STUDIO, LAPTOP, DIRECTOR] = KEYS.map(({ key }) => key);
const WITH_KEYS = [...ADMIN, '--set', `stream_keys=${JSON.stringify(KEYS)}`];

/** The name of the key that publishes now. */
async function onAir(server) {
  return (await basicClient(server).get('/api/admin/stream')).json().publisher?.keyName;
}

function untilOnAir(server, name) {
  return eventually(async () => {
    const now = await onAir(server);
    if (now !== name) throw new Error(`${now} is on air, not ${name}`);
    return true;
  });
}

/** Waits until a live playlist has grown: somebody is really sending. */
async function untilGrown(server) {
  const newest = ({ segments, parts }) => parts.at(-1)?.URI ?? segments.at(-1);
  const before = newest(await playlist(server));
  await untilPlaylist(server, (now) => newest(now) !== before);
}

describe('the door for publishers', { concurrency: 5 }, () => {
  test('a wrong key is refused with the reason on both sides, and nothing is listed', async (t) => {
    const server = await serverFor(t, { args: ADMIN });
    const publisher = publisherFor(t, server, { key: 'not-the-right-key' });
    assert.notEqual(await publisher.ended, 0);
    assert.match(publisher.logs(), /Wrong stream key/);
    await eventually(() => /refused.*Wrong stream key|Wrong stream key.*refused/.test(server.logs()));
    assert.ok(!server.logs().includes('not-the-right-key'), 'the key is in the log');
    assert.equal((await status(server)).streamState, 'offline');
    assert.equal((await get(server, MASTER)).status, 404);
    assert.deepEqual(await pastStreams(basicClient(server)), []);
  });

  test('a second publisher is refused with a reason, and the first goes on', async (t) => {
    const server = await serverFor(t, { args: WITH_KEYS });
    const first = publisherFor(t, server, { key: STUDIO });
    await untilOnAir(server, 'studio');
    await untilState(server, 'live');
    const second = publisherFor(t, server, { key: LAPTOP });
    assert.notEqual(await second.ended, 0);
    assert.match(second.logs(), /already|another/i);
    assert.match(server.logs(), /a second publisher was refused/);
    await untilGrown(server);
    assert.ok(first.isRunning());
    assert.equal(await onAir(server), 'studio');
  });

  test('a key that may take over replaces the publisher in the same broadcast', async (t) => {
    const server = await serverFor(t, { args: WITH_KEYS });
    const first = publisherFor(t, server, { key: STUDIO });
    await untilOnAir(server, 'studio');
    await untilState(server, 'live');
    publisherFor(t, server, { key: DIRECTOR });
    await untilOnAir(server, 'director');
    await first.ended;
    await untilGrown(server);
    assert.equal((await pastStreams(basicClient(server))).length, 1);
    assert.equal(await countEvents(server, 'StreamStarted'), 1);
  });

  test('a publisher that has fallen silent gives way to any other', async (t) => {
    const server = await serverFor(t, { args: WITH_KEYS });
    const first = publisherFor(t, server, { key: STUDIO });
    await untilOnAir(server, 'studio');
    await untilState(server, 'live');
    first.freeze();
    // It is refused until the other has been silent for three seconds; encoders try again as this does.
    await eventually(
      async () => {
        const second = publisherFor(t, server, { key: LAPTOP });
        const isIn = untilOnAir(server, 'laptop').then(() => 'in');
        return (await Promise.race([second.ended, isIn.catch(() => 'out')])) === 'in';
      },
      { deadlineMs: 30_000 },
    );
    await untilGrown(server);
    assert.equal((await pastStreams(basicClient(server))).length, 1);
  });

  test('publishing over TLS works on the same port', async (t) => {
    const { cert, key } = await makePair(await scratchFolder(t), 'studio');
    const server = await serverFor(t, { args: [...ADMIN, '--tls-cert', cert, '--tls-key', key] });
    const secure = { ...server, rtmp: server.rtmp.replace(/^rtmp:/, 'rtmps:') };
    const publisher = publisherFor(t, secure, { args: ['-tls_verify', '0'] });
    await eventually(() => server.logs().includes(' live id='), {
      deadlineMs: 20_000,
      giveUp: () => !publisher.isRunning(),
    }).catch(() => assert.fail(`it is not live:\n${publisher.logs()}\n${server.logs()}`));
    assert.match(server.logs(), /a broadcaster publishes .*is_tls=true/);
    assert.equal(await publisher.stop(), 0);
  });
});

describe('the end of a broadcast', { concurrency: 4 }, () => {
  test('a clean stop ends it at once, and the last minute can still be played', async (t) => {
    const server = await serverFor(t, { args: ADMIN });
    const publisher = publisherFor(t, server);
    await untilState(server, 'live');
    assert.equal(await publisher.stop(), 0);
    // Without a grace time in between: it never waits.
    await eventually(async () => {
      const { streamState } = await status(server);
      assert.notEqual(streamState, 'waiting');
      return streamState === 'offline';
    });
    assert.ok((await playlist(server)).hasEnded);
    await untilEvents(server, 'StreamStopped', 1);
    const [stream, ...others] = await pastStreams(basicClient(server));
    assert.deepEqual(others, []);
    assert.ok(Date.parse(stream.endedAt) >= Date.parse(stream.startedAt));
  });

  test('a publisher that does not come back within the grace time ends it', async (t) => {
    const server = await serverFor(t, { args: [...ADMIN, '--set', 'grace_seconds=2'] });
    const publisher = publisherFor(t, server);
    await untilState(server, 'live');
    await publisher.kill();
    await untilState(server, 'waiting');
    assert.ok(!(await playlist(server)).hasEnded, 'it ended before the grace time was over');
    await untilState(server, 'offline');
    await untilEnded(server);
    await untilEvents(server, 'StreamStopped', 1);
    const next = publisherFor(t, server);
    await untilState(server, 'live');
    await untilEvents(server, 'StreamStarted', 2);
    assert.equal((await pastStreams(basicClient(server))).length, 2);
    assert.ok(next.isRunning());
  });

  test('the operator can end it', async (t) => {
    const server = await serverFor(t, { args: ADMIN });
    const publisher = publisherFor(t, server);
    await untilState(server, 'live');
    assert.equal((await basicClient(server).get('/api/admin/disconnect')).status, 200);
    await publisher.ended;
    await untilState(server, 'offline');
    await untilEnded(server);
    await untilEvents(server, 'StreamStopped', 1);
  });

  test('a server that stops lets go of its publisher', async (t) => {
    const server = await serverFor(t, { args: ADMIN });
    const publisher = publisherFor(t, server);
    await untilState(server, 'live');
    assert.equal(await server.stop(), 0);
    await publisher.ended;
  });
});

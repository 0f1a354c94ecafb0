// A directory lists the stream, and a stream server of another program is featured: both scripted, both as such programs
// behave, and under both namespaces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peerFor, PUBLIC } from './lib/peer.mjs';
import * as activities from './lib/activities.mjs';
import { goLive } from './lib/go-live.mjs';
import { describe, KNOWN, metadataOf, streamer, tell, withMetadata } from './lib/streamers.mjs';
import { worldFor } from './lib/world.mjs';

const OURS = 'https://rillcast.example/ns#';

for (const namespace of [KNOWN, OURS]) {
  test(`a directory asks, is approved, hears when the stream begins and ends, and is let go (${namespace})`, async (t) => {
    const world = await worldFor(t, 'a.test', 'directory.test');
    const settings = { name: 'Stream of A', streamtitle: 'A concert', tags: ['music'] };
    const server = await world.rillcast('a.test', { settings });
    const { operator } = server;
    const directory = await peerFor(world, 'directory.test', streamer, 'list');
    const { inbox: to } = await directory.lookUp('live@a.test');

    const follow = { ...activities.follow(directory, server.actor), ...withMetadata({ directory: true }, namespace) };
    await directory.send(follow, { to });
    await operator.until('featureRequests', (all) => all.some(({ link }) => link === directory.id));
    assert.deepEqual(await operator.followers(), []);
    await operator.approve(directory.id);
    const accept = await directory.hears('Accept');
    for (const both of [KNOWN, OURS]) {
      const metadata = metadataOf(accept, both);
      assert.deepEqual([metadata.streamStatus, metadata.serverName], ['offline', 'Stream of A'], both);
    }

    const publisher = await goLive(t, server);
    const offer = await directory.hears('Offer');
    const live = metadataOf(offer);
    assert.deepEqual(live, metadataOf(offer, OURS), 'both namespaces say the same');
    assert.deepEqual([live.streamStatus, live.streamTitle, live.streamTags], ['live', 'A concert', ['music']]);
    assert.equal(offer.object, 'https://a.test');
    assert.ok(offer.to.includes(PUBLIC));
    assert.match(live.thumbnailUrl, /^https:\/\/a\.test\//);
    await publisher.stop();
    const leave = metadataOf(await directory.hears('Leave'));
    assert.equal(leave.streamStatus, 'offline');
    assert.equal(leave.thumbnailUrl, undefined);
    assert.ok(!directory.received.some(({ activity }) => activity.type === 'Create'), 'posts are for followers');

    await operator.removeFollower(directory.id);
    await directory.hears('Reject');
    assert.deepEqual(directory.refused, []);
  });
}

test('a stream server of another program is featured, live, over and gone', async (t) => {
  const world = await worldFor(t, 'a.test', 'streamer.test');
  const server = await world.rillcast('a.test');
  const { operator } = server;
  const streaming = await peerFor(world, 'streamer.test', streamer, 'streamer');
  describe(streaming);
  const to = `${server.actor}/inbox`;

  const row = await operator.feature('https://streamer.test');
  const follow = await streaming.hears('Follow');
  assert.equal(follow.object, streaming.id);
  for (const both of [KNOWN, OURS]) {
    const { directory, streamStatus } = metadataOf(follow, both);
    assert.deepEqual([directory, streamStatus], [true, 'offline'], both);
  }
  const status = async (wanted) => operator.until('servers', ([one]) => wanted(one));

  await streaming.send(tell(streaming, 'Accept', follow, { streamStatus: 'offline' }), { to });
  await status(({ followStatus }) => followStatus === 'accepted');

  const metadata = {
    streamStatus: 'live',
    serverName: 'Streamer <b>bold</b>',
    streamTitle: 'T'.repeat(5000),
    thumbnailUrl: 'javascript:alert(1)',
    logoUrl: 'https://streamer.test/logo.png',
    streamTags: ['one', 'two'],
  };
  await streaming.send(tell(streaming, 'Offer', streaming.base, metadata), { to });
  await status(({ isOnline }) => isOnline);
  const [online] = await operator.servers();
  assert.equal(online.streamTitle.length, 300);
  assert.ok(!online.thumbnailUrl, online.thumbnailUrl);
  assert.deepEqual(online.tags, ['one', 'two']);
  await streaming.send(tell(streaming, 'Leave', streaming.base, { streamStatus: 'offline' }), { to });
  await status(({ isOnline }) => !isOnline);

  await operator.unfeature(row.id);
  const undo = await streaming.hears('Undo');
  assert.equal(undo.object.id, follow.id);
  assert.deepEqual(streaming.refused, []);
});

test('a server nobody asked is known to the operator alone', async (t) => {
  const world = await worldFor(t, 'a.test', 'streamer.test');
  const server = await world.rillcast('a.test');
  const streaming = await peerFor(world, 'streamer.test', streamer, 'streamer');
  const to = `${server.actor}/inbox`;
  const metadata = { streamStatus: 'live', serverName: 'Uninvited', streamTitle: 'Hello' };
  await streaming.send(tell(streaming, 'Offer', streaming.base, metadata, OURS), { to });
  const [row] = await server.operator.until('servers', (all) => all.length === 1);
  assert.deepEqual([row.isUnsolicited, row.isOnline], [true, true]);
  const response = await fetch('https://a.test/api/federation/servers');
  assert.deepEqual((await response.json()).servers, []);
});

test('stream metadata without the marker makes nobody a directory', async (t) => {
  const world = await worldFor(t, 'a.test', 'streamer.test');
  const server = await world.rillcast('a.test');
  const streaming = await peerFor(world, 'streamer.test', streamer, 'streamer');
  const follow = { ...activities.follow(streaming, server.actor), ...withMetadata({ streamStatus: 'live' }) };
  await streaming.send(follow, { to: `${server.actor}/inbox` });
  await streaming.hears('Accept');
  await server.operator.until('followers', (all) => all.length === 1);
  assert.deepEqual(await server.operator.featureRequests(), []);
});

// A new key for the account, and servers that keep the old one until they are told: nobody is cut off.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join, postAs } from '../lib/chat.mjs';
import { eventually } from '../lib/eventually.mjs';
import { gotosocial, mastodon, snac, wordpress } from './lib/habits.mjs';
import { peerFor } from './lib/peer.mjs';
import * as activities from './lib/activities.mjs';
import { worldFor } from './lib/world.mjs';

const KEY = '/api/admin/federation/key';

/** A server, and one peer of each kind that follows it, by the name of its host. */
async function followed(t, kinds) {
  const world = await worldFor(t, 'a.test', ...Object.keys(kinds));
  const server = await world.rillcast('a.test');
  const peers = {};
  for (const [host, habits] of Object.entries(kinds)) {
    const peer = await peerFor(world, host, habits);
    const actor = await peer.lookUp('live@a.test');
    await peer.send(activities.follow(peer, actor.id), { to: actor.inbox });
    await peer.hears('Accept');
    peers[host] = peer;
  }
  return { server, operator: server.operator, peers };
}

const pemOf = async (peer, server) => (await peer.read(server.actor)).publicKey.publicKeyPem;

const handedOver = (operator) =>
  eventually(async () => {
    const { waitingFor } = await operator.ask('GET', KEY);
    return waitingFor.length === 0;
  });

test('servers that never ask for a key again are told of a new one, take what follows, and are taken back', async (t) => {
  const { server, operator, peers } = await followed(t, {
    'gts.test': gotosocial,
    'snac.test': snac,
    'mastodon.test': mastodon,
  });
  const all = Object.values(peers);
  const first = await pemOf(all[0], server);
  await operator.ask('POST', '/api/admin/federation/rotate-key', {});
  const second = await pemOf(all[0], server);
  assert.notEqual(second, first);
  await handedOver(operator);
  for (const { requests } of all)
    for (const { headers } of requests.filter(({ method }) => method === 'POST'))
      assert.match(headers['user-agent'], /^rillcast\/\d+\.\d+\.\d+; https:\/\/a\.test$/, 'others see who calls');
  for (const peer of all) await peer.hears('Update', ({ object }) => object.publicKey.publicKeyPem === second);
  await operator.post('With the new key');
  for (const peer of all) await peer.hears('Create', ({ object }) => object.content.includes('With the new key'));

  // Requests for documents are signed with it too: this one wants to know who writes to its account.
  const viewer = await join(server, 'somebody');
  const begun = await postAs(server, viewer.person, '/api/auth/fediverse', { account: 'alice@gts.test' });
  assert.equal(begun.status, 200, begun.text);
  await peers['gts.test'].hears('Create', ({ to }) => to.includes(peers['gts.test'].id));

  const { canTakeBack, handoverUntil } = await operator.ask('GET', KEY);
  assert.equal(canTakeBack, true);
  assert.ok(new Date(handoverUntil) > new Date());
  await operator.ask('POST', '/api/admin/federation/take-back-key');
  assert.equal(await pemOf(all[0], server), first);
  await handedOver(operator);
  await operator.post('With the old one again');
  for (const peer of all) {
    await peer.hears('Create', ({ object }) => object.content.includes('With the old one again'));
    // Whoever asks for the key each time finds the new one, and was tried with that in the end.
    if (!peer.habits.keepsKeys) continue;
    assert.deepEqual(
      peer.refused.map(({ reason }) => reason),
      [],
      peer.host,
    );
  }
  await assert.rejects(operator.ask('POST', '/api/admin/federation/take-back-key'), /409.*no previous key to go back to/s);
});

test('a key that may be known is dropped at once, and the operator is told whom that costs', async (t) => {
  const { operator, peers } = await followed(t, { 'gts.test': gotosocial, 'mastodon.test': mastodon });
  const { message } = await operator.ask('POST', '/api/admin/federation/rotate-key', { compromised: true });
  assert.match(message, /2 servers may know it.*GoToSocial/s);
  for (const text of ['one', 'two', 'three']) {
    await operator.post(text);
    await peers['mastodon.test'].hears('Create', ({ object }) => object.content.includes(text));
  }
  const refusing = await eventually(async () => {
    const hosts = await operator.ask('GET', '/api/admin/federation/hosts');
    return hosts.find(({ host, state }) => host === 'gts.test' && state === 'refusing');
  });
  assert.match(refusing.lastError, /^the inbox answered 401/);
  const { canTakeBack } = await operator.ask('GET', KEY);
  assert.equal(canTakeBack, false);
});

test('a code reaches an account on a server that wants to know of every note whether it is a reply', async (t) => {
  const { server, peers } = await followed(t, { 'wordpress.test': wordpress });
  const viewer = await join(server, 'somebody');
  const begun = await postAs(server, viewer.person, '/api/auth/fediverse', { account: 'alice@wordpress.test' });
  assert.equal(begun.status, 200, begun.text);
  const { object } = await peers['wordpress.test'].hears('Create');
  assert.equal(object.inReplyTo, null);
  assert.match(object.content, /\b\d{6}\b/);
});

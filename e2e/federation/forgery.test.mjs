// Who signs as somebody else, sends what was meant for another server, or sends it again, achieves nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mastodon } from './lib/habits.mjs';
import { alter, exchange, peerFor, peerKeys } from './lib/peer.mjs';
import * as activities from './lib/activities.mjs';
import { worldFor } from './lib/world.mjs';

const inboxOf = (server) => `${server.actor}/inbox`;

/** Sends an activity and returns the very request, so that it can be sent again. */
async function captured(peer, activity, server) {
  let request;
  await peer.send(activity, { to: inboxOf(server), change: (sent) => (request = structuredClone(sent)) });
  return { ...request, body: Buffer.from(request.body) };
}

/** A follow that is done proves that what came before it was looked at, too: one worker, in order. */
async function followAndWait(peer, server) {
  await peer.send(activities.follow(peer, server.actor), { to: inboxOf(server) });
  await peer.hears('Accept', ({ actor }) => actor === server.actor);
}

test('a request that was meant for another server or another account has no effect', async (t) => {
  const world = await worldFor(t, 'a.test', 'b.test', 'peer.test', 'witness.test');
  const [a, b] = [await world.rillcast('a.test'), await world.rillcast('b.test')];
  const [peer, witness] = [await peerFor(world, 'peer.test', mastodon), await peerFor(world, 'witness.test', mastodon)];
  const request = await captured(peer, activities.follow(peer, b.actor), a);
  await peer.send(activities.follow(peer, a.actor), { to: inboxOf(a) });
  await a.operator.until('followers', (all) => all.length === 1);

  // As it was, and as a proxy of the attacker would have it.
  for (const host of ['a.test', 'b.test']) {
    const headers = { ...request.headers, host };
    const { status } = await exchange(inboxOf(b), { ...request, headers });
    assert.ok([202, 400, 401, 421].includes(status), `${status}`);
  }
  await followAndWait(witness, b);
  const links = (await b.operator.followers()).map(({ link }) => link);
  assert.deepEqual(links, [witness.id]);
});

test('the same request counts once, however often it comes', async (t) => {
  const world = await worldFor(t, 'a.test', 'peer.test', 'witness.test');
  const a = await world.rillcast('a.test');
  const { operator } = a;
  const [peer, witness] = [await peerFor(world, 'peer.test', mastodon), await peerFor(world, 'witness.test', mastodon)];
  const following = activities.follow(peer, a.actor);
  const first = await captured(peer, following, a);
  await operator.until('followers', (all) => all.length === 1);
  await peer.send(activities.undo(peer, following), { to: inboxOf(a) });
  await operator.until('followers', (all) => all.length === 0);
  for (let times = 0; times < 3; times += 1) assert.equal((await exchange(inboxOf(a), first)).status, 202);
  await followAndWait(witness, a);
  const links = (await operator.followers()).map(({ link }) => link);
  assert.deepEqual(links, [witness.id], 'who left has not come back');
});

test('a neighbour on the same server, a stranger and a clock that is wrong are not believed', async (t) => {
  const world = await worldFor(t, 'a.test', 'peer.test', 'witness.test');
  const a = await world.rillcast('a.test');
  const to = inboxOf(a);
  const [peer, witness] = [await peerFor(world, 'peer.test', mastodon), await peerFor(world, 'witness.test', mastodon)];
  await followAndWait(peer, a);
  await a.operator.post('Like me');
  const { object: note } = await peer.hears('Create');
  const like = (changes = {}) => ({ ...activities.like(peer, note.id), id: peer.mint(), ...changes });
  const mallory = `${peer.base}/users/mallory`;

  await peer.send(like({ actor: mallory }), { to });
  await peer.send(like({ actor: witness.id, id: witness.mint() }), { to });
  await peer.send(like({ id: witness.mint() }), { to });
  await witness.send(activities.undo(peer, activities.follow(peer, a.actor)), { to });
  await peer.send(like(), { to, signer: { keyId: peer.keyId, key: peerKeys().key } });
  await peer.send({ ...activities.follow(peer, a.actor) }, { to, status: 401, change: alter });
  await peer.send(like(), { to, status: 401, sign: () => {} });
  const early = {
    to,
    status: 401,
    sign: (request, signer) => {
      request.headers.date = new Date(Date.now() - 2 * 3_600_000).toUTCString();
      mastodon.sign(request, signer);
    },
  };
  await peer.send(like(), early);
  await followAndWait(witness, a);
  const likes = (await a.operator.actions()).filter(({ type }) => /LIKE/.test(type));
  assert.deepEqual(likes, []);
  const links = (await a.operator.followers()).map(({ link }) => link).sort();
  assert.deepEqual(links, [peer.id, witness.id].sort());
});

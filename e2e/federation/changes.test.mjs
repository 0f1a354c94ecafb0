// What the operator changes, and what followers elsewhere see of it: private mode, another name, a blocked domain, quotes,
// posts that are taken back. And what becomes of accounts that are deleted elsewhere.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mastodon, mitra } from './lib/habits.mjs';
import { isSettled } from './lib/operator.mjs';
import { idOf, listOf, peerFor, peerKeys, PUBLIC } from './lib/peer.mjs';
import * as activities from './lib/activities.mjs';
import { worldFor } from './lib/world.mjs';

/** A server, and a Mastodon account that follows it. */
async function followed(t, { settings, habits = mastodon } = {}) {
  const world = await worldFor(t, 'a.test', 'peer.test');
  const server = await world.rillcast('a.test', { settings });
  const peer = await peerFor(world, 'peer.test', habits);
  const actor = await peer.lookUp('live@a.test');
  const following = await peer.send(activities.follow(peer, actor.id), { to: actor.inbox });
  await peer.hears('Accept');
  peer.follows = actor.id;
  const { operator } = server;
  await operator.until('followers', (all) => all.length === 1);
  return { world, server, operator, peer, actor, following, to: actor.inbox };
}

/** What `url` answers to somebody who reads ActivityPub. */
const statusOf = async (peer, url) => (await peer.fetch(url, { accept: 'application/activity+json' })).status;

test('Mastodon asks to quote, is allowed, and anybody can check it until it is taken back', async (t) => {
  const { operator, peer, actor, to } = await followed(t);
  await operator.post('Quote me');
  const { object: note } = await peer.hears('Create');
  assert.deepEqual(note.interactionPolicy.canQuote.automaticApproval, [PUBLIC]);

  const request = await peer.send(activities.quoteRequest(peer, note.id), { to });
  const accept = await peer.hears('Accept', ({ object }) => idOf(object) === request.id);
  assert.equal(new URL(accept.result).host, new URL(actor.id).host);
  const stamp = await peer.read(accept.result);
  assert.deepEqual(
    [stamp.type, stamp.attributedTo, stamp.interactingObject, stamp.interactionTarget],
    ['QuoteAuthorization', actor.id, request.instrument.id, note.id],
  );

  // Asked again, the same stamp; asked for somebody else's post, none.
  await peer.send({ ...request, id: peer.mint() }, { to });
  const again = await peer.hears(
    'Accept',
    ({ object }) => ![request.id].includes(idOf(object)) && object.type === 'QuoteRequest',
  );
  assert.equal(again.result, accept.result);
  const refused = await peer.send(activities.quoteRequest(peer, `${actor.id}/nothing`), { to });
  await peer.hears('Reject', ({ object }) => idOf(object) === refused.id);

  const [quote] = await operator.quotes();
  await operator.ask('DELETE', `/api/admin/federation/quotes/${quote.id}`);
  await peer.hears('Delete', ({ object }) => idOf(object) === accept.result);
  assert.equal(await statusOf(peer, accept.result), 410);
});

test('another name is told to followers, and the old one leads to it', async (t) => {
  const { operator, peer, actor } = await followed(t);
  await operator.set('federation/username', 'stage');
  assert.equal(await statusOf(peer, actor.id), 200, 'there is no moment in which the old one is nobody');
  const moved = 'https://a.test/federation/user/stage';
  const move = await peer.hears('Move');
  assert.deepEqual([move.actor, idOf(move.object), move.target], [actor.id, actor.id, moved]);
  const { request } = peer.received.find(({ activity }) => activity.type === 'Move');
  assert.match(request.headers.signature, new RegExp(`keyId="${actor.id}#main-key"`), 'signed by the old account');

  const old = await peer.read(actor.id);
  assert.equal(old.movedTo, moved);
  const fresh = await peer.lookUp('stage@a.test');
  assert.ok(listOf(fresh.alsoKnownAs).includes(actor.id));
  // The old name is still its own: name, subject and actor lead to each other.
  assert.equal((await peer.lookUp('live@a.test')).movedTo, moved);
  const unknown = await fetch('https://a.test/.well-known/webfinger?resource=acct:nobody@a.test');
  assert.deepEqual([unknown.status, unknown.headers.get('cache-control')], [404, 'no-store']);

  // As Mastodon does it: leave the old one, follow the new one.
  await peer.send(activities.follow(peer, fresh.id), { to: fresh.inbox });
  await peer.hears('Accept', ({ object }) => object.object === fresh.id);
  await operator.post('From the stage');
  const { object: note } = await peer.hears('Create');
  assert.equal(note.attributedTo, fresh.id);
});

test('a name the account had is taken again only if that is confirmed, and can be forgotten', async (t) => {
  const { operator, peer, actor } = await followed(t);
  await operator.set('federation/username', 'stage');
  await peer.hears('Move');
  await assert.rejects(operator.set('federation/username', 'live'), /409.*had the name live before.*confirmed/s);
  const [{ name }] = await operator.ask('GET', '/api/admin/federation/former-names');
  assert.equal(name, 'live');

  await operator.ask('POST', '/api/admin/config/federation/username', { value: 'live', confirmed: true });
  await peer.hears('Move', ({ target }) => target === actor.id);
  await operator.ask('DELETE', '/api/admin/federation/former-names/stage');
  assert.deepEqual(await operator.ask('GET', '/api/admin/federation/former-names'), []);
  assert.equal(await statusOf(peer, 'https://a.test/federation/user/stage'), 404);
  await assert.rejects(operator.ask('DELETE', '/api/admin/federation/former-names/stage'), /404/);
});

test('a blocked domain is forgotten, refused and told nothing', async (t) => {
  const { world, operator, peer, actor, to } = await followed(t);
  await operator.set('federation/blockdomains', ['peer.test']);
  await operator.until('followers', (all) => all.length === 0);
  const [heard, calls] = [peer.received.length, world.relay('peer.test').calls()];
  await peer.send(activities.follow(peer, actor.id), { to, status: 403 });
  await operator.post('Not for you');
  await operator.until('deliveries', isSettled);
  assert.equal(peer.received.length, heard);
  assert.equal(world.relay('peer.test').calls(), calls, 'it was not even called');

  await operator.set('federation/blockdomains', ['test.example']);
  await peer.send(activities.follow(peer, actor.id), { to });
  await operator.until('followers', (all) => all.length === 1);
});

test('in private mode followers wait, posts are for followers, and a refused one is out', async (t) => {
  const world = await worldFor(t, 'a.test', 'one.test', 'two.test');
  const server = await world.rillcast('a.test', { settings: { 'federation/private': true } });
  const { operator } = server;
  const one = await peerFor(world, 'one.test', mastodon);
  const two = await peerFor(world, 'two.test', mitra);
  const actor = await one.lookUp('live@a.test');
  assert.equal(actor.manuallyApprovesFollowers, true);
  const to = actor.inbox;
  await one.send(activities.follow(one, actor.id), { to });
  await two.send(activities.follow(two, actor.id), { to });
  await operator.until('pending', (all) => all.length === 2);
  assert.equal(one.received.length, 0, 'nothing before the operator decided');

  await operator.approve(one.id);
  await one.hears('Accept');
  await operator.approve(two.id, false);
  await two.hears('Reject');
  await operator.post('For those who were let in');
  const create = await one.hears('Create');
  assert.deepEqual([create.to, create.object.to], [[actor.followers], [actor.followers]]);
  assert.equal(create.object.interactionPolicy, undefined);
  assert.equal(await statusOf(one, create.object.id), 404, 'private posts are not shown to whoever asks');
  const refused = await one.send(activities.quoteRequest(one, create.object.id), { to });
  await one.hears('Reject', ({ object }) => idOf(object) === refused.id);
  assert.ok(!two.received.some(({ activity }) => activity.type === 'Create'));
});

test('a post that is deleted is gone for those who have it and for those who ask', async (t) => {
  const { operator, peer, actor } = await followed(t);
  await operator.post('Said too soon');
  const { id, object: note } = await peer.hears('Create');
  const [post] = await operator.posts();
  await operator.ask('DELETE', `/api/admin/federation/posts/${post.id}`);
  const deletion = await peer.hears('Delete');
  assert.deepEqual([idOf(deletion.object), deletion.object.type], [note.id, 'Tombstone']);
  assert.equal(await statusOf(peer, note.id), 410);
  assert.notEqual(await statusOf(peer, id), 200);
  assert.equal((await peer.read(actor.outbox)).totalItems, 0);
});

test('an account that is deleted is forgotten, and a stranger that is deleted costs nothing', async (t) => {
  const { world, operator, peer, to } = await followed(t);
  const stranger = `${peer.base}/users/stranger`;
  const calls = world.relay('peer.test').calls();
  const deletion = { ...activities.deleteSelf(peer), actor: stranger, object: stranger, id: `${stranger}#delete` };
  await peer.send(deletion, { to, signer: { keyId: `${stranger}#main-key`, key: peer.key } });
  // The account is gone, so its key cannot be asked for either.
  peer.isGone = true;
  await peer.send(activities.deleteSelf(peer), { to });
  await operator.until('followers', (all) => all.length === 0);
  assert.ok(world.relay('peer.test').calls() - calls <= 2, 'nothing was asked about the stranger');
});

test('a follower whose key was changed is believed again after one look', async (t) => {
  const { operator, peer, to } = await followed(t);
  await operator.post('Old key, new key');
  const { object: note } = await peer.hears('Create');
  Object.assign(peer, peerKeys());
  await peer.send(activities.like(peer, note.id), { to });
  await operator.untilAction('FEDIVERSE_ENGAGEMENT_LIKE', peer.id);
});

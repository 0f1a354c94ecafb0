// Accounts on servers of many kinds follow the stream, hear of it, answer and leave, each in the manner of its kind.
// The peers are scripted; what they refuse is shown first.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import * as kinds from './lib/habits.mjs';
import { alter, AS, exchange, peerFor, PUBLIC } from './lib/peer.mjs';
import * as activities from './lib/activities.mjs';
import { Refused } from './lib/signatures.mjs';
import { worldFor } from './lib/world.mjs';

const ACTOR = 'https://a.test/federation/user/live';

/** An actor that every kind takes. */
const goodActor = () => ({
  '@context': [AS, 'https://w3id.org/security/v1'],
  id: ACTOR,
  type: 'Service',
  preferredUsername: 'live',
  name: 'A stream',
  url: ACTOR,
  inbox: `${ACTOR}/inbox`,
  outbox: `${ACTOR}/outbox`,
  followers: `${ACTOR}/followers`,
  publicKey: { id: `${ACTOR}#main-key`, owner: ACTOR, publicKeyPem: '-----BEGIN PUBLIC KEY-----\n' },
});

test('each kind takes a good actor and refuses what it insists on', () => {
  for (const habits of kinds.KINDS) {
    habits.checkActor(goodActor());
    const refuses = (change) => {
      const actor = goodActor();
      change(actor);
      assert.throws(() => habits.checkActor(actor), Refused, `${habits.kind}: ${change}`);
    };
    refuses((actor) => delete actor.inbox);
    refuses((actor) => delete actor.publicKey.publicKeyPem);
    refuses((actor) => (actor.publicKey.owner = 'https://b.test/users/b'));
    refuses((actor) => (actor.type = 'Note'));
  }
  const refusedBy = (habits, change) => {
    const actor = goodActor();
    change(actor);
    assert.throws(() => habits.checkActor(actor), Refused, `${habits.kind}: ${change}`);
  };
  refusedBy(kinds.mastodon, (actor) => (actor.preferredUsername = 'a b'));
  refusedBy(kinds.misskey, (actor) => (actor.url = 'https://b.test/'));
  refusedBy(kinds.misskey, (actor) => (actor.outbox = 'https://b.test/'));
  refusedBy(kinds.misskey, (actor) => (actor.summary = ''));
  refusedBy(kinds.peertube, (actor) => (actor.publicKey.publicKeyPem = '-----BEGIN RSA PUBLIC KEY-----\n'));
  refusedBy(kinds.lemmy, (actor) => (actor.publicKey.id = `${ACTOR}/main-key`));
  refusedBy(kinds.mitra, (actor) => (actor.inbox = 'https://b.test/inbox'));
  for (const type of ['application/json', 'text/html', '']) {
    assert.throws(() => kinds.mastodon.checkType(type), Refused);
    assert.throws(() => kinds.lemmy.checkType(type), Refused);
  }
  assert.throws(() => kinds.lemmy.checkType('application/activity+json; profile="x"'), Refused);
});

test('a peer believes its neighbour, and nobody who signs for somebody else', async (t) => {
  const world = await worldFor(t, 'one.test', 'two.test');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const one = await peerFor(world, 'one.test', kinds.mastodon);
  for (const habits of kinds.KINDS) {
    const two = await peerFor(world, 'two.test', habits);
    const to = `${two.id}/inbox`;
    const taken = habits.taken ?? 202;
    const activity = () => ({ ...activities.follow(one, two.id), to: [two.id] });
    await one.send(activity(), { to, status: taken });
    assert.equal((await two.hears('Follow')).actor, one.id);

    const lies = [
      [activity(), { signer: { keyId: one.keyId, key: privateKey } }],
      [activity(), { signer: { keyId: `${one.keyId}-2`, key: one.key } }],
      [activity(), { sign: () => {} }],
      [activity(), { change: alter }],
      [{ ...activity(), actor: `${one.base}/users/bob` }, {}],
      [{ ...activity(), id: 'https://elsewhere.test/1' }, {}],
      [{ ...activity(), '@context': 'https://example.com' }, {}],
    ];
    for (const [lie, options] of lies) await one.send(lie, { to, status: habits.refusal, ...options });
    assert.equal(two.received.length, 1, habits.kind);
    assert.equal(two.refused.length, lies.length, habits.kind);
  }
});

test('a peer that wants signed requests shows nothing to others', async (t) => {
  const world = await worldFor(t, 'one.test', 'two.test');
  const one = await peerFor(world, 'one.test', kinds.mastodon);
  const two = await peerFor(world, 'two.test', kinds.gotosocial);
  const headers = { host: 'two.test', accept: 'application/activity+json' };
  for (const url of [two.id, two.keyId])
    assert.equal((await exchange(url, { method: 'GET', headers })).status, 401, url);
  assert.equal((await one.read(two.id)).preferredUsername, 'alice');
  assert.equal((await one.fetch(two.keyId, { accept: headers.accept })).status, 200);
});

test('a server that knows the new signatures alone is knocked at twice, and then in its way', async (t) => {
  const world = await worldFor(t, 'a.test', 'peer.test');
  const server = await world.rillcast('a.test');
  const peer = await peerFor(world, 'peer.test', kinds.modern);
  const { inbox: to } = await peer.lookUp('live@a.test');
  await peer.send(activities.follow(peer, server.actor), { to });
  await peer.hears('Accept');
  const schemes = () =>
    peer.requests.filter(({ method }) => method === 'POST').map(({ headers }) => 'signature-input' in headers);
  assert.deepEqual(schemes(), [false, true], 'the old one first, then the new one');
  assert.deepEqual(
    peer.refused.map(({ reason }) => reason),
    ['signed by cavage'],
  );
  await server.operator.post('In the way you like');
  await peer.hears('Create');
  assert.deepEqual(schemes(), [false, true, true], 'it is remembered');
});

for (const habits of kinds.KINDS) {
  test(`${habits.kind} follows, hears of a post, likes, boosts, answers and leaves`, async (t) => {
    const world = await worldFor(t, 'a.test', 'peer.test');
    const server = await world.rillcast('a.test');
    const { operator } = server;
    const peer = await peerFor(world, 'peer.test', habits);
    const actor = await peer.lookUp('live@a.test');
    assert.equal(actor.id, server.actor);
    const to = actor.inbox;

    const following = await peer.send(activities.follow(peer, actor.id), { to });
    const accept = await peer.hears('Accept');
    assert.equal(accept.object.id, following.id);
    assert.equal(accept.object.actor, peer.id);
    peer.follows = actor.id;
    const [follower] = await operator.until('followers', (all) => all.length === 1);
    assert.equal(follower.link, peer.id);
    assert.equal(follower.username, `alice@peer.test`);

    await operator.post('We are on tonight at eight. #music');
    const { object: note } = await peer.hears('Create');
    assert.match(note.content, /We are on tonight at eight/);
    assert.ok(note.to.includes(PUBLIC));
    // What came can be fetched again where it says it is.
    assert.equal((await peer.read(note.id)).content, note.content);

    await peer.send(activities.like(peer, note.id), { to });
    await operator.untilAction('FEDIVERSE_ENGAGEMENT_LIKE', peer.id);
    await peer.send(activities.boost(peer, note.id, actor.id), { to });
    await operator.untilAction('FEDIVERSE_ENGAGEMENT_REPOST', peer.id);
    const answer = await peer.send(
      activities.reply(peer, note.id, actor.id, '<p>hooray <script>alert(1)</script></p>'),
      {
        to,
      },
    );
    await operator.until('inboundPosts', (all) => all.some(({ url }) => url === answer.object.url));

    await peer.send(activities.undo(peer, following), { to });
    await operator.until('followers', (all) => all.length === 0);
    assert.deepEqual(peer.refused, [], 'nothing the server sent was refused');
  });
}

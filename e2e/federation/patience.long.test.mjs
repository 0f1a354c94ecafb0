// What takes its time: peers that are ill, away or gone and hear of it later or not at all for the right reason, changes
// that are told when they have settled, and power cuts.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '../lib/cleanup.mjs';
import { eventually } from '../lib/eventually.mjs';
import { randomness, SEED } from '../lib/random.mjs';
import { mastodon, mitra } from './lib/habits.mjs';
import { isSettled } from './lib/operator.mjs';
import { peerFor } from './lib/peer.mjs';
import * as activities from './lib/activities.mjs';
import { worldFor } from './lib/world.mjs';

/** The first second try is due after half a minute, and a loaded machine is late. */
const RETRY_MS = 90_000;
const ROUNDS = 12;

async function followers(world, server, hosts, habits = mastodon) {
  const peers = [];
  for (const host of hosts) {
    const peer = await peerFor(world, host, habits);
    await peer.send(activities.follow(peer, server.actor), { to: `${server.actor}/inbox` });
    await peer.hears('Accept');
    peers.push(peer);
  }
  return peers;
}

const createsOf = ({ received }) =>
  received.filter(({ activity }) => activity.type === 'Create').map(({ activity }) => activity.id);

test('a peer that is ill for a moment hears it at the second try, once', async (t) => {
  const hosts = ['busy.test', 'broken.test', 'away.test', 'silent.test'];
  const world = await worldFor(t, 'a.test', ...hosts);
  const server = await world.rillcast('a.test');
  const peers = await followers(world, server, hosts);
  const [busy, broken] = peers;
  busy.mood = [503];
  broken.mood = [500];
  const away = world.relay('away.test');
  const silent = world.relay('silent.test');
  const wasAt = { away: away.target(), silent: silent.target() };
  away.unplug();
  silent.mute();
  await server.operator.post('Is anybody there?');
  await eventually(() => busy.mood.length === 0 && broken.mood.length === 0);
  away.plugIn(wasAt.away);
  silent.plugIn(wasAt.silent);
  await eventually(() => peers.every((peer) => createsOf(peer).length === 1), { deadlineMs: RETRY_MS });
});

test('a peer that says gone loses its followers, one that says no gets no second try', async (t) => {
  const world = await worldFor(t, 'a.test', 'gone.test', 'no.test');
  const server = await world.rillcast('a.test');
  const [gone] = await followers(world, server, ['gone.test'], mitra);
  const [no] = await followers(world, server, ['no.test'], mitra);
  gone.mood = [410];
  no.mood = [404];
  await server.operator.post('Who is there?');
  await server.operator.until('followers', (all) => all.length === 1);
  const [left] = await server.operator.followers();
  assert.equal(left.link, no.id);
  const state = async () => (await server.operator.deliveries()).filter(({ inbox }) => inbox.startsWith(no.base));
  await eventually(async () => (await state()).some(({ state }) => state === 'failed'));
  assert.deepEqual(createsOf(no), []);
});

test('nothing is lost and nothing is doubled when the power goes while posts are sent', {
  timeout: 400_000,
}, async (t) => {
  console.log(`seed ${SEED} (repeat with RILLCAST_E2E_SEED)`);
  const random = randomness(SEED);
  const hosts = Array.from({ length: 6 }, (_, number) => `peer${number}.test`);
  const world = await worldFor(t, 'a.test', ...hosts);
  const dataDir = join(await scratchFolder(t), 'data');
  let server = await world.rillcast('a.test', { dataDir });
  const peers = await followers(world, server, hosts);
  const texts = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const text = `Post number ${round}.`;
    await server.operator.post(text);
    texts.push(text);
    await new Promise((resolve) => setTimeout(resolve, random(120))); // anywhere between two deliveries
    await server.kill();
    server = await world.rillcast('a.test', { dataDir, isNew: false });
  }
  const heard = (peer) =>
    peer.received.filter(({ activity }) => activity.type === 'Create').map(({ activity }) => activity);
  const isAll = (peer) => texts.every((text) => heard(peer).some(({ object }) => object.content.includes(text)));
  await eventually(() => peers.every(isAll), { deadlineMs: 240_000 });
  for (const peer of peers) {
    // A delivery that the cut interrupted comes again, with the same name: peers tell it by that.
    const ids = new Set(heard(peer).map(({ id }) => id));
    assert.equal(ids.size, ROUNDS, `${peer.host} heard ${ids.size} different posts`);
  }
  const repeated = peers.reduce((sum, peer) => sum + heard(peer).length - ROUNDS, 0);
  console.log(`rounds=${ROUNDS} peers=${peers.length} repeated=${repeated}`);
});

test('many accounts behind one shared inbox cost one delivery', async (t) => {
  const world = await worldFor(t, 'a.test', 'many.test');
  const server = await world.rillcast('a.test');
  const crowd = await peerFor(world, 'many.test', mastodon);
  const names = Array.from({ length: 25 }, (_, number) => `user${number}`);
  const document = crowd.actorDocument.bind(crowd);
  const at = (name) => `${crowd.base}/users/${name}`;
  for (const name of names) {
    const id = at(name);
    crowd.documents.set(`/users/${name}`, {
      ...document(),
      ...{ id, preferredUsername: name, inbox: `${id}/inbox`, outbox: `${id}/outbox`, followers: `${id}/followers` },
      publicKey: { id: `${id}#main-key`, owner: id, publicKeyPem: crowd.publicPem },
    });
    const follow = { ...activities.follow(crowd, server.actor), actor: id };
    await crowd.send(follow, { to: `${server.actor}/inbox`, signer: { keyId: `${id}#main-key`, key: crowd.key } });
    await crowd.hears('Accept', ({ object }) => object.actor === id);
  }
  await server.operator.post('To all of you');
  await crowd.hears('Create');
  await server.operator.until('deliveries', isSettled);
  assert.equal(createsOf(crowd).length, 1);
});

test('what changes about the stream is told once, whole, when it has settled', async (t) => {
  const world = await worldFor(t, 'a.test', 'peer.test');
  const server = await world.rillcast('a.test');
  const [peer] = await followers(world, server, ['peer.test']);
  for (const name of ['One name', 'Another name', 'The last name']) await server.operator.set('name', name);
  const { object } = await peer.hears('Update', () => true, { deadlineMs: RETRY_MS });
  assert.deepEqual([object.id, object.type, object.name], [server.actor, 'Service', 'The last name']);
  assert.equal(object.publicKey.id, `${server.actor}#main-key`);
  assert.equal(peer.received.filter(({ activity }) => activity.type === 'Update').length, 1);
});

// A server made with Fedify finds the stream, follows it, hears of it and answers, with nothing but Fedify's own code;
// first that it refuses what was not signed well.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import {
  Accept,
  Announce,
  Create,
  Follow,
  Like,
  Mention,
  Note,
  PUBLIC_COLLECTION,
  Service,
  Undo,
  Update,
} from '@fedify/fedify';
import { publisherFor } from '../lib/publisher.mjs';
import { fedifyFor } from './lib/fedify.mjs';
import { mastodon, mitra } from './lib/habits.mjs';
import { alter, peerFor } from './lib/peer.mjs';
import * as activities from './lib/activities.mjs';
import { worldFor } from './lib/world.mjs';

for (const habits of [mastodon, mitra]) {
  test(`Fedify believes a good signature as of ${habits.kind} and refuses a bad one`, async (t) => {
    const world = await worldFor(t, 'one.test', 'fedify.test');
    const one = await peerFor(world, 'one.test', habits);
    const frieda = await fedifyFor(world, 'fedify.test');
    const to = `${frieda.id.href}/inbox`;
    const activity = () => activities.follow(one, frieda.id.href);
    await one.send(activity(), { to });
    assert.equal((await frieda.hears(Follow)).actorId.href, one.id);

    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await one.send(activity(), { to, status: 401, signer: { keyId: one.keyId, key: privateKey } });
    await one.send(activity(), { to, status: 401, change: alter });
    await one.send(activity(), { to, status: 401, sign: () => {} });
    assert.equal(frieda.received.length, 1);
  });
}

for (const firstKnock of ['rfc9421', 'draft-cavage-http-signatures-12']) {
  test(`Fedify follows, hears that the stream began, likes, boosts, answers and leaves (${firstKnock})`, async (t) => {
    const world = await worldFor(t, 'a.test', 'fedify.test');
    const server = await world.rillcast('a.test', { settings: { name: 'Stream of A', streamtitle: 'Evening show' } });
    const { operator } = server;
    const frieda = await fedifyFor(world, 'fedify.test', { firstKnock });

    const actor = await frieda.context.lookupObject('@live@a.test');
    assert.ok(actor instanceof Service, 'found by WebFinger');
    assert.equal(actor.id.href, server.actor);
    assert.equal(actor.name.toString(), 'Stream of A');

    const follow = new Follow({ id: frieda.mint('follows'), actor: frieda.id, object: actor.id });
    await frieda.send(actor, follow);
    const accept = await frieda.hears(Accept);
    assert.equal(accept.actorId.href, server.actor);
    assert.equal(accept.objectId.href, follow.id.href);
    const [follower] = await operator.until('followers', (all) => all.length === 1);
    assert.deepEqual([follower.link, follower.name], [frieda.id.href, 'Frieda of Fedify']);

    publisherFor(t, server);
    const create = await frieda.hears(Create);
    const note = await create.getObject();
    assert.ok(note instanceof Note);
    assert.match(note.content.toString(), /Evening show/);
    assert.ok(create.toIds.some(({ href }) => href === PUBLIC_COLLECTION.href));
    const again = await frieda.context.lookupObject(note.id);
    assert.equal(again.content.toString(), note.content.toString());

    const mine = { actor: frieda.id, object: note.id };
    await frieda.send(actor, new Like({ id: frieda.mint('likes'), ...mine }));
    await operator.untilAction('FEDIVERSE_ENGAGEMENT_LIKE', frieda.id.href);
    await frieda.send(actor, new Announce({ id: frieda.mint('boosts'), ...mine, to: PUBLIC_COLLECTION }));
    await operator.untilAction('FEDIVERSE_ENGAGEMENT_REPOST', frieda.id.href);
    const answer = new Note({
      id: frieda.mint('notes'),
      attribution: frieda.id,
      content: '<p>Here I am</p>',
      replyTarget: note.id,
      to: PUBLIC_COLLECTION,
      cc: actor.id,
      tags: [new Mention({ href: actor.id, name: '@live@a.test' })],
    });
    await frieda.send(
      actor,
      new Create({ id: frieda.mint('creates'), actor: frieda.id, object: answer, to: PUBLIC_COLLECTION, cc: actor.id }),
    );
    await operator.until('inboundPosts', (all) => all.some(({ content }) => content.includes('Here I am')));

    const outbox = await actor.getOutbox();
    assert.equal(outbox.totalItems, 1);
    const items = [];
    for await (const item of frieda.context.traverseCollection(outbox)) items.push(item.id.href);
    assert.deepEqual(items, [create.id.href]);

    await frieda.send(actor, new Undo({ id: frieda.mint('undos'), actor: frieda.id, object: follow }));
    await operator.until('followers', (all) => all.length === 0);
    assert.deepEqual(frieda.failures, []);
    assert.ok(
      frieda.statuses.every((status) => status === 202),
      `${frieda.statuses}`,
    );
  });
}

test('Fedify, which keeps the keys it knows, is told of a new one and believes what follows', async (t) => {
  const world = await worldFor(t, 'a.test', 'fedify.test');
  const { operator, actor: id } = await world.rillcast('a.test');
  const frieda = await fedifyFor(world, 'fedify.test');
  const actor = await frieda.context.lookupObject('@live@a.test');
  await frieda.send(actor, new Follow({ id: frieda.mint('follows'), actor: frieda.id, object: actor.id }));
  await frieda.hears(Accept);
  await operator.ask('POST', '/api/admin/federation/rotate-key', {});
  const update = await frieda.hears(Update);
  assert.equal(update.actorId.href, id);
  await operator.post('With the new key');
  const isNew = async (create) => /With the new key/.test((await create.getObject()).content);
  await frieda.hears(Create, isNew);
  assert.ok(
    frieda.statuses.every((status) => status === 202),
    `nothing was refused: ${frieda.statuses}`,
  );
});

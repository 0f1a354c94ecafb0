// A server made with bovine (Python) finds the stream, follows it and hears of it, with nothing but bovine's own code;
// first that it refuses what was not signed well.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { bovineFor, pythonWithBovine } from './lib/bovine.mjs';
import { mastodon } from './lib/habits.mjs';
import { alter, peerFor } from './lib/peer.mjs';
import * as activities from './lib/activities.mjs';
import { worldFor } from './lib/world.mjs';

const python = await pythonWithBovine();
const skip = python ? false : 'bovine cannot be installed here';

test('bovine believes a good signature and refuses a bad one', { skip }, async (t) => {
  const world = await worldFor(t, 'one.test', 'bovine.test');
  const one = await peerFor(world, 'one.test', mastodon);
  const bella = await bovineFor(t, world, 'bovine.test', python);
  const to = 'https://bovine.test/inbox';
  await one.send(activities.follow(one, bella.id), { to });
  assert.equal((await bella.hears('Follow')).actor, one.id);

  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const activity = () => activities.follow(one, bella.id);
  await one.send(activity(), { to, status: 401, signer: { keyId: one.keyId, key: privateKey } });
  await one.send(activity(), { to, status: 401, change: alter });
  await one.send(activity(), { to, status: 401, sign: () => {} });
  const { received, refused } = await bella.ask({ do: 'received' });
  assert.deepEqual([received.length, refused], [1, 3]);
});

test('bovine follows, hears of a post, likes, boosts, answers and leaves', { skip }, async (t) => {
  const world = await worldFor(t, 'a.test', 'bovine.test');
  const server = await world.rillcast('a.test');
  const { operator } = server;
  const bella = await bovineFor(t, world, 'bovine.test', python);

  const actor = await bella.ask({ do: 'look up', account: 'live@a.test' });
  assert.deepEqual([actor.id, actor.type], [server.actor, 'Service']);
  const { software, protocols } = await bella.ask({ do: 'nodeinfo', host: 'a.test' });
  assert.deepEqual([software.name, protocols], ['rillcast', ['activitypub']]);

  const follow = await bella.send(actor.inbox, { type: 'Follow', object: actor.id, to: [actor.id] });
  assert.equal((await bella.hears('Accept')).object.id, follow.id);
  await operator.until('followers', (all) => all.some(({ link }) => link === bella.id));

  await operator.post('Hello, **Fediverse**.');
  const { object: note } = await bella.hears('Create');
  assert.match(note.content, /<strong>Fediverse<\/strong>/);
  assert.deepEqual((await bella.ask({ do: 'read', url: note.id })).id, note.id);

  await bella.send(actor.inbox, { type: 'Like', object: note.id });
  await operator.untilAction('FEDIVERSE_ENGAGEMENT_LIKE', bella.id);
  await bella.send(actor.inbox, { type: 'Announce', object: note.id });
  await operator.untilAction('FEDIVERSE_ENGAGEMENT_REPOST', bella.id);
  const answer = { id: `https://bovine.test/${crypto.randomUUID()}`, type: 'Note', attributedTo: bella.id };
  await bella.send(actor.inbox, {
    type: 'Create',
    to: [actor.id],
    object: { ...answer, to: [actor.id], inReplyTo: note.id, content: '<p>moo</p>' },
  });
  await operator.until('inboundPosts', (all) => all.some(({ content }) => content.includes('moo')));

  const { items, total_items: total } = await bella.ask({ do: 'collection', url: actor.outbox });
  assert.deepEqual([total, items.length], [1, 1]);
  await bella.send(actor.inbox, { type: 'Undo', object: follow });
  await operator.until('followers', (all) => all.length === 0);
  const { refused } = await bella.ask({ do: 'received' });
  assert.equal(refused, 0);
});

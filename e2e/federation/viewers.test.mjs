// What people see and do on the page with an account elsewhere: follow from their own server, sign in to the chat with a
// code, and read in the chat who follows, likes and boosts. And what foreign text cannot do there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join, postAs, sayAndHear } from '../lib/chat.mjs';
import { mastodon } from './lib/habits.mjs';
import { peerFor } from './lib/peer.mjs';
import * as activities from './lib/activities.mjs';
import { worldFor } from './lib/world.mjs';

async function serverAndPeer(t, settings) {
  const world = await worldFor(t, 'a.test', 'peer.test');
  const server = await world.rillcast('a.test', { settings });
  const peer = await peerFor(world, 'peer.test', mastodon);
  return { world, server, peer, to: `${server.actor}/inbox` };
}

const post = (server, path, document) =>
  fetch(server.http + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(document),
  });

test('a viewer is led to the page of their own server that follows', async (t) => {
  const { server, peer } = await serverAndPeer(t);
  const template = 'https://peer.test/authorize_interaction?uri={uri}';
  peer.webfinger = () => ({
    subject: 'acct:alice@peer.test',
    links: [
      { rel: 'self', type: 'application/activity+json', href: peer.id },
      { rel: 'http://ostatus.org/schema/1.0/subscribe', template },
    ],
  });
  const answer = await post(server, '/api/remotefollow', { account: '@alice@peer.test' });
  assert.equal(answer.status, 200);
  const { redirectUrl } = await answer.json();
  const url = new URL(redirectUrl);
  assert.deepEqual([url.origin, url.pathname], ['https://peer.test', '/authorize_interaction']);
  assert.ok([server.actor, 'live@a.test', 'acct:live@a.test'].includes(url.searchParams.get('uri')), redirectUrl);

  peer.webfinger = () => ({
    subject: 'acct:alice@peer.test',
    links: [{ rel: 'http://ostatus.org/schema/1.0/subscribe', template: 'https://elsewhere.test/?uri={uri}' }],
  });
  assert.equal((await post(server, '/api/remotefollow', { account: '@alice@peer.test' })).status, 400);
});

test('a viewer signs in to the chat with a code that arrives as a direct message', async (t) => {
  const { server, peer } = await serverAndPeer(t);
  const viewer = await join(server, 'somebody');
  const begun = await postAs(server, viewer.person, '/api/auth/fediverse', { account: 'alice@peer.test' });
  assert.equal(begun.status, 200, begun.text);
  const { to, cc, object: note } = await peer.hears('Create');
  assert.deepEqual([to, cc, note.to], [[peer.id], [], [peer.id]], 'for nobody else');
  assert.ok(note.tag.some(({ type, href }) => type === 'Mention' && href === peer.id));
  const [code] = /\b\d{6}\b/.exec(note.content);
  const wrong = code === '000000' ? '000001' : '000000';
  const refused = await postAs(server, viewer.person, '/api/auth/fediverse/verify', { code: wrong });
  assert.ok(refused.status >= 400 && refused.status < 500, refused.text);
  const proven = await postAs(server, viewer.person, '/api/auth/fediverse/verify', { code });
  assert.equal(proven.status, 200, proven.text);
  const twice = await postAs(server, viewer.person, '/api/auth/fediverse/verify', { code });
  assert.notEqual(twice.status, 200, 'a code works once');
  const outbox = await peer.read(`${server.actor}/outbox`);
  assert.equal(outbox.totalItems, 0, 'a direct message is shown to nobody');
  assert.equal((await peer.fetch(note.id, { accept: 'application/activity+json' })).status, 404);
});

test('follows, likes and boosts are lines in the chat, once, as text', async (t) => {
  const { server, peer, to } = await serverAndPeer(t);
  const viewer = await join(server, 'somebody');
  const document = peer.actorDocument.bind(peer);
  peer.actorDocument = () => ({ ...document(), name: '<img src=x onerror=alert(1)>Alice\u202e' });
  const fediverse = ({ type }) => /^FEDIVERSE_/.test(type);

  await peer.send(activities.follow(peer, server.actor), { to });
  await peer.hears('Accept');
  const followed = await viewer.hears(fediverse);
  assert.match(followed.type, /FOLLOW/);
  await server.operator.post('Something to like');
  const { object: note } = await peer.hears('Create');
  await peer.send(activities.like(peer, note.id), { to });
  await viewer.hears(({ type }) => /LIKE/.test(type));
  await peer.send(activities.boost(peer, note.id, server.actor), { to });
  await viewer.hears(({ type }) => /REPOST/.test(type));
  // Again, in other words: nothing new.
  await peer.send({ ...activities.like(peer, note.id), id: peer.mint() }, { to });
  await peer.send(activities.follow(peer, server.actor), { to });
  await peer.hears('Accept', (accept) => accept.id !== peer.received[0].activity.id);
  await sayAndHear(viewer, 'that was all');

  const lines = viewer.events.filter(fediverse);
  assert.equal(lines.length, 3, JSON.stringify(lines));
  for (const line of lines) {
    assert.ok(!/<img|onerror=[^&]*>/i.test(line.body ?? ''), line.body);
    assert.ok(!JSON.stringify(line).includes('\u202e'));
  }
  await viewer.leave();
});

test('engagement is kept out of the chat where the operator wants that', async (t) => {
  const { server, peer, to } = await serverAndPeer(t, { 'federation/showengagement': false });
  const viewer = await join(server, 'somebody');
  await peer.send(activities.follow(peer, server.actor), { to });
  await peer.hears('Accept');
  await server.operator.until('followers', (all) => all.length === 1);
  // What is said later is heard later.
  await sayAndHear(viewer, 'nothing yet');
  const engagement = viewer.events.filter(({ type }) => /^FEDIVERSE_/.test(type));
  assert.deepEqual(engagement, []);
  await viewer.leave();
});

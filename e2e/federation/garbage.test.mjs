// Activities of every type, signed as they should be and with anything in any place: each is answered, none breaks
// anything, and nothing the server says in return is malformed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomness, SEED } from '../lib/random.mjs';
import { mastodon } from './lib/habits.mjs';
import { peerFor } from './lib/peer.mjs';
import * as activities from './lib/activities.mjs';
import { tell } from './lib/streamers.mjs';
import { worldFor } from './lib/world.mjs';

const COUNT = process.env.RILLCAST_RING === 'all' ? 3000 : 200;
/** 429 comes when keys that were forgotten on the way have to be fetched too often. */
const FINE = [202, 400, 401, 403, 429];

/** Values that have no business anywhere. */
const ODDITIES = [
  ...[null, true, false, 0, -1, 1e308, 1.5, '', ' ', [], {}, [[]], [null], [{}, {}]],
  'x'.repeat(70_000),
  '\u0000\u202e\ud83d\ude00<script>alert(1)</script>',
  'https://',
  'https://a.test',
  'https://a.test/federation/user/live',
  'https://a.test/federation/',
  'http://127.0.0.1/',
  'javascript:alert(1)',
  'acct:live@a.test',
  'https://peer.test:99999/',
  'https://xn--/',
  '//peer.test/x',
  { '@value': 'text', '@language': 'en' },
  { '@graph': [] },
  { id: null, type: [] },
  { type: 'Note', id: 'https://peer.test/x' },
  Array.from({ length: 2000 }, (_, number) => `https://peer.test/${number}`),
  Array.from({ length: 20 }).reduce((inner) => ({ object: inner }), 'deep'),
];
const TYPES = ['Note', 'Follow', 'Undo', 'Person', 'Service', 'Tombstone', 'Collection', 'QuoteRequest', 'Nothing'];

/** Every place in a document: the object it is in, and the name it has there. */
function pathsIn(document) {
  const found = [];
  const walk = (node) => {
    if (node === null || typeof node !== 'object') return;
    for (const name of Object.keys(node)) {
      found.push([node, name]);
      walk(node[name]);
    }
  };
  walk(document);
  return found;
}

function spoil(document, random) {
  const all = pathsIn(document);
  const [node, name] = all[random(all.length)];
  const ways = [
    () => (node[name] = structuredClone(ODDITIES[random(ODDITIES.length)])),
    () => (node[name] = structuredClone(ODDITIES[random(ODDITIES.length)])),
    () => delete node[name],
    () => (node[name] = [node[name]]),
    () => (node[name] = [structuredClone(node[name]), structuredClone(node[name])]),
    () => (node[name] = { id: node[name] }),
    () => (document.type = TYPES[random(TYPES.length)]),
    () => (node[ODDITIES.filter((one) => typeof one === 'string')[random(10)]] = 1),
  ];
  ways[random(ways.length)]();
}

test('whatever a peer signs and sends is answered, and breaks nothing', { timeout: 300_000 }, async (t) => {
  console.log(`seed ${SEED} (repeat with RILLCAST_E2E_SEED)`);
  const random = randomness(SEED);
  const world = await worldFor(t, 'a.test', 'peer.test', 'honest.test');
  const limits = { 'federation/inboxperaddress': 100_000, 'federation/inboxperhost': 100_000 };
  const server = await world.rillcast('a.test', { settings: limits });
  const { operator } = server;
  const [peer, honest] = [await peerFor(world, 'peer.test', mastodon), await peerFor(world, 'honest.test', mastodon)];
  const to = `${server.actor}/inbox`;
  const following = await peer.send(activities.follow(peer, server.actor), { to });
  await peer.hears('Accept');
  await honest.send(activities.follow(honest, server.actor), { to });
  await honest.hears('Accept');
  await operator.post('Something to talk about');
  const { object: note } = await peer.hears('Create');

  const good = [
    () => activities.follow(peer, server.actor),
    () => activities.like(peer, note.id),
    () => activities.boost(peer, note.id, server.actor),
    () => activities.reply(peer, note.id, server.actor, '<p>well</p>'),
    () => activities.quoteRequest(peer, note.id),
    () => activities.undo(peer, following),
    () => activities.undo(peer, activities.like(peer, note.id)),
    () => ({ ...activities.deleteSelf(peer), id: peer.mint() }),
    () => tell(peer, 'Update', peer.actorDocument(), {}),
    () => tell(peer, 'Accept', following, { streamStatus: 'live' }),
    () => tell(peer, 'Reject', following, {}),
    () => tell(peer, 'Offer', peer.base, { streamStatus: 'live', streamTags: ['a'], thumbnailUrl: 'x' }),
    () => tell(peer, 'Leave', peer.base, { streamStatus: 'offline' }),
    () => tell(peer, 'Block', server.actor, {}),
    () => ({ ...tell(peer, 'Move', peer.id, {}), target: `${peer.base}/users/new` }),
    () => ({ ...tell(peer, 'Flag', [server.actor, note.id], {}), content: 'bad' }),
  ];
  for (let number = 0; number < COUNT; number += 1) {
    const activity = structuredClone(good[random(good.length)]());
    for (let times = random(4); times >= 0; times -= 1) spoil(activity, random);
    await peer.send(activity, { to, status: FINE });
  }

  await honest.send(activities.like(honest, note.id), { to });
  await operator.untilAction('FEDIVERSE_ENGAGEMENT_LIKE', honest.id);
  const metrics = await operator.read('/api/admin/prometheus');
  assert.match(metrics, /rillcast_panics_total\{where="any"\} 0/);
  const malformed = peer.refused.filter(({ request }) => request.method === 'POST');
  assert.deepEqual(malformed, []);
  assert.ok(!/panicked/.test(server.logs()));
});

// Servers of our own kind that know each other: one features another, sees it go live and end, and lets it go.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../lib/eventually.mjs';
import { ARRIVAL_MS } from './lib/operator.mjs';
import { goLive } from './lib/go-live.mjs';
import { worldFor } from './lib/world.mjs';

/** What viewers are shown, without a login. */
async function shown(server) {
  const response = await fetch(`${server.http}/api/federation/servers`);
  assert.equal(response.status, 200);
  return (await response.json()).servers;
}

const untilShown = (server, wanted) =>
  eventually(
    async () => {
      const servers = await shown(server);
      if (!wanted(servers)) throw new Error(`${server.host} shows ${JSON.stringify(servers)}`);
      return servers;
    },
    { deadlineMs: ARRIVAL_MS },
  );

/** `one` features `other`, whose operator agrees. */
async function feature(one, other) {
  const row = await one.operator.feature(other.http);
  assert.equal(row.followStatus, 'pending');
  await other.operator.until('featureRequests', (all) => all.some(({ link }) => link === one.actor));
  await other.operator.approve(one.actor);
  await one.operator.until('servers', (all) =>
    all.some(({ id, followStatus }) => id === row.id && followStatus === 'accepted'),
  );
  return row;
}

test('a server is featured, seen live with its title, seen over, and let go', async (t) => {
  const world = await worldFor(t, 'a.test', 'b.test');
  const a = await world.rillcast('a.test');
  const b = await world.rillcast('b.test', {
    settings: { name: 'Stream of B', streamtitle: 'A talk', tags: ['talk', 'music'] },
  });

  const row = await a.operator.feature('https://b.test');
  assert.deepEqual([row.followStatus, row.isOnline], ['pending', false]);
  assert.deepEqual(await shown(a), [], 'viewers see nothing before the other agreed');
  const [request] = await b.operator.until('featureRequests', (all) => all.length === 1);
  assert.equal(request.link, a.actor);
  assert.deepEqual(await b.operator.followers(), [], 'a directory is no follower');

  await b.operator.approve(a.actor);
  const [agreed] = await untilShown(a, (all) => all.length === 1);
  assert.deepEqual(
    [agreed.iri, agreed.name, agreed.displayName, agreed.isOnline],
    ['https://b.test', 'live', 'Stream of B', false],
  );
  assert.match(agreed.logoUrl, /^https:\/\/b\.test\//);

  const publisher = await goLive(t, b);
  const [live] = await untilShown(a, (all) => all[0]?.isOnline);
  assert.deepEqual([live.streamTitle, live.tags], ['A talk', ['talk', 'music']]);
  assert.match(live.thumbnailUrl, /^https:\/\/b\.test\//);
  await publisher.stop();
  await untilShown(a, (all) => all[0]?.isOnline === false);

  await a.operator.unfeature(row.id);
  assert.deepEqual(await shown(a), []);
  await b.operator.until('directories', (all) => all.length === 0);
});

test('a server that is live already is shown live as soon as it agrees', async (t) => {
  const world = await worldFor(t, 'a.test', 'b.test');
  const [a, b] = [await world.rillcast('a.test'), await world.rillcast('b.test')];
  await goLive(t, b);
  await feature(a, b);
  await untilShown(a, (all) => all[0]?.isOnline);
});

test('three servers feature each other, and each sees who is live', async (t) => {
  const world = await worldFor(t, 'a.test', 'b.test', 'c.test');
  const [a, b, c] = [await world.rillcast('a.test'), await world.rillcast('b.test'), await world.rillcast('c.test')];
  for (const [one, other] of [
    [a, b],
    [b, a],
    [c, a],
    [c, b],
  ])
    await feature(one, other);
  const publisher = await goLive(t, a);
  const online = (all) => all.filter(({ isOnline }) => isOnline).map(({ iri }) => iri);
  await untilShown(b, (all) => online(all).includes('https://a.test'));
  await untilShown(c, (all) => online(all).includes('https://a.test'));
  assert.deepEqual(online(await shown(a)), []);
  assert.deepEqual(online(await shown(c)), ['https://a.test']);
  // A server that is told to stop says goodbye.
  await a.stop();
  await untilShown(b, (all) => online(all).length === 0);
  await untilShown(c, (all) => online(all).length === 0);
  await publisher.kill();
});

test('a server that removes the one who features it is shown no longer', async (t) => {
  const world = await worldFor(t, 'a.test', 'b.test');
  const [a, b] = [await world.rillcast('a.test'), await world.rillcast('b.test')];
  const row = await feature(a, b);
  await b.operator.removeFollower(a.actor);
  await untilShown(a, (all) => all.length === 0);
  const [left] = await a.operator.servers();
  assert.deepEqual([left.id, left.followStatus, left.isOnline], [row.id, 'rejected', false]);
});

test('a server without federation, another program and oneself are not featured', async (t) => {
  const world = await worldFor(t, 'a.test', 'b.test', 'c.test');
  const a = await world.rillcast('a.test');
  const b = await world.rillcast('b.test');
  await b.operator.set('federation/enable', false);
  await world.serve('c.test', (request, response) => {
    const links = [{ rel: 'http://nodeinfo.diaspora.software/ns/schema/2.0', href: 'https://c.test/nodeinfo/2.0' }];
    const info = {
      version: '2.0',
      software: { name: 'mastodon', version: '4' },
      protocols: ['activitypub'],
      metadata: {},
    };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(request.url.startsWith('/.well-known/nodeinfo') ? { links } : info));
  });
  for (const url of ['https://a.test', 'https://b.test', 'https://c.test', 'https://d.test'])
    await assert.rejects(a.operator.feature(url), /answered with 400/, url);
  assert.deepEqual(await a.operator.servers(), []);
});

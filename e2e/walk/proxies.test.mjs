// The proxies of the guide, with its own words as their configuration, and strangers behind them.
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { test } from 'node:test';
import { setUp } from '../lib/admin.mjs';
import { untilState } from '../lib/broadcast.mjs';
import { join, sayAndHear } from '../lib/chat.mjs';
import { eventually } from '../lib/eventually.mjs';
import { MASTER, playlist, untilSegments, VIDEO } from '../lib/hls.mjs';
import { cachingNginx, haproxyFor } from '../lib/proxies.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor, WITHOUT_FFMPEG } from '../lib/server.mjs';
import { pluginAdminOf } from '../plugins/lib/plugin-admin.mjs';
import { passGate, putUpGate } from '../plugins/lib/gate.mjs';

const BEHIND_A_PROXY = { ...WITHOUT_FFMPEG, args: ['--trusted-proxies', '127.0.0.1'] };
const FOLDER = VIDEO.slice(0, VIDEO.lastIndexOf('/') + 1);

/** The answer without following it anywhere: `{ status, cache, bytes }`. */
async function ask(place, path, headers = {}) {
  const response = await fetch(place.http + path, { headers, redirect: 'manual' });
  const bytes = (await response.arrayBuffer()).byteLength;
  return { status: response.status, cache: response.headers.get('cache-control'), bytes, headers: response.headers };
}

test('a stranger cannot put a 404 into the cache of nginx in the place of a file', async (t) => {
  const server = await serverFor(t, BEHIND_A_PROXY);
  const nginx = await cachingNginx(t, server);
  publisherFor(t, server);
  await untilSegments(server, 2);
  // One letter written differently: the same file for whoever decodes names, and none for the server.
  const disguised = (path) =>
    path
      .replace('stream', '%73tream')
      .replace('video', '%76ideo')
      .replace('seg-', '%73eg-')
      .replace('init-', '%69nit-');
  for (let round = 0; round < 3; round += 1) {
    const { segments, maps, mediaSequence } = await playlist(server);
    const last = mediaSequence + segments.length;
    const paths = [
      MASTER,
      `${VIDEO}?_HLS_msn=${last}&_HLS_part=0`,
      ...segments.slice(-2).map((name) => FOLDER + name),
      FOLDER + maps.at(-1),
    ];
    for (const path of paths) {
      const attack = await ask(nginx, disguised(path));
      assert.equal(attack.status, 404);
      assert.match(attack.cache, /no-store/);
      assert.equal((await ask(nginx, path)).status, 200, path);
    }
  }
  // It is a cache, or this proves nothing: the server is asked for a segment once.
  const { segments } = await playlist(server);
  const path = FOLDER + segments.at(-2);
  const [first, second] = [await ask(nginx, path), await ask(nginx, path)];
  assert.equal(first.cache, 'public, max-age=31536000, immutable');
  assert.deepEqual([second.status, second.bytes], [200, first.bytes]);
});

test('what a member has fetched through the cache of nginx is given to no stranger', async (t) => {
  const server = await serverFor(t, BEHIND_A_PROXY);
  const admin = await setUp(server);
  const nginx = await cachingNginx(t, server);
  publisherFor(t, server);
  await untilSegments(server, 2);
  const before = await playlist(server);
  const known = FOLDER + before.segments.at(-1);
  // In the cache before there is a gate.
  assert.equal((await ask(nginx, known)).status, 200);

  await putUpGate(pluginAdminOf(server, admin));
  const member = { cookie: await passGate(server) };

  // The files go by other names than those in caches, and the old ones are nothing here.
  const renamed = await eventually(async () => {
    const { status, list } = await listFor(server, member);
    return status === 200 && !list.includes(before.segments.at(-1)) ? list : undefined;
  });
  assert.equal((await ask(server, known, member)).status, 404);
  const names = renamed.split('\n').filter((line) => line.endsWith('.m4s'));
  const [map] = /init-[^"]*/.exec(renamed);
  const fresh = [MASTER, VIDEO, ...names.slice(-2).map((name) => FOLDER + name), FOLDER + map];
  for (const path of fresh) {
    const theirs = await ask(nginx, path, member);
    assert.deepEqual([theirs.status, theirs.cache], [200, 'private, no-store'], path);
    assert.equal((await ask(nginx, path)).status, 302, `a stranger got ${path} behind a member`);
  }
  for (const path of ['/thumbnail.jpg', '/preview.gif', '/api/status']) {
    assert.equal((await ask(nginx, path, member)).cache, 'private, no-store', path);
  }
});

async function listFor(server, headers) {
  const response = await fetch(server.http + VIDEO, { headers, redirect: 'manual' });
  return { status: response.status, list: await response.text() };
}

test('HAProxy passes on sockets, the stream and who asks', async (t) => {
  const server = await serverFor(t, BEHIND_A_PROXY);
  const admin = await setUp(server);
  const haproxy = await haproxyFor(t, server);
  publisherFor(t, server);
  await untilState(server, 'live');
  const ada = await join(haproxy, 'Ada');
  await sayAndHear(ada, 'through HAProxy');
  await ada.leave();
  assert.equal((await playlist(haproxy)).hasEnded, false);
  // A reload that waits, waits here too.
  const { mediaSequence, segments } = await playlist(haproxy);
  const next = `${VIDEO}?_HLS_msn=${mediaSequence + segments.length + 1}&_HLS_part=0`;
  assert.equal((await ask(haproxy, next)).status, 200);
  // What a visitor claims stands before what the proxy knows, and is not believed.
  await askFrom('127.0.0.5', haproxy.http + VIDEO, { 'x-forwarded-for': '198.51.100.7' });
  const viewers = await fetch(`${server.http}/api/admin/viewers`, { headers: { Cookie: admin.cookie } });
  const addresses = (await viewers.json()).map((viewer) => viewer.ipAddress);
  assert.ok(addresses.includes('127.0.0.5'), `${addresses}`);
  assert.ok(!addresses.includes('198.51.100.7'), `${addresses}`);
});

/** A request from another address of this machine. */
function askFrom(localAddress, url, headers) {
  return new Promise((resolve, reject) => {
    const asking = get(url, { localAddress, headers, agent: false }, (answer) => answer.resume().on('end', resolve));
    asking.on('error', reject);
  });
}

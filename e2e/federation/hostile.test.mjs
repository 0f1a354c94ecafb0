// Strangers make the server fetch: keys, accounts, redirects. Whatever they name, it connects to public addresses alone,
// reads a bounded answer for a bounded time, and believes documents only where they belong.
// The server has no `--danger-` flag here; every name and every connection of it is scripted and written down.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { afterwards, scratchFolder } from '../lib/cleanup.mjs';
import { rillcast } from '../lib/command.mjs';
import { eventually } from '../lib/eventually.mjs';
import { mastodon } from './lib/habits.mjs';
import { networkFor } from './lib/network.mjs';
import { AS, peerFor } from './lib/peer.mjs';
import * as activities from './lib/activities.mjs';
import { worldFor } from './lib/world.mjs';

/** A stranger may be told at once or be left in the dark; both are fine. */
const ANY_REFUSAL = [202, 400, 401, 403];
const MIB = 1024 * 1024;
/** What a refused body may still cost: the cap, and what is in the sockets on the way. */
const MOST_SENT = 16 * MIB;
const MOST_GROWTH = 48 * MIB;

async function trapFor(t) {
  let caught = 0;
  const trap = createServer((socket) => {
    caught += 1;
    socket.destroy();
  });
  await new Promise((resolve) => trap.listen(0, '127.0.0.1', resolve));
  afterwards(t, () => new Promise((resolve) => trap.close(resolve)));
  return { port: trap.address().port, caught: () => caught };
}

/** A server without a danger flag, a peer that is honest, one that is not, and a trap. */
async function arena(t, { args } = {}) {
  const world = await worldFor(t, 'stream.example', 'honest.example', 'evil.example');
  const network = await networkFor(t);
  world.placeIn(network);
  const server = await world.rillcast('stream.example', { network, args });
  const honest = await peerFor(world, 'honest.example', mastodon);
  const evil = await peerFor(world, 'evil.example', mastodon);
  const trap = await trapFor(t);
  const to = `${server.actor}/inbox`;
  return {
    ...{ world, network, server, honest, evil, trap, to },
    /** A follow signed with evil's key, which is said to be elsewhere. */
    claim: (keyId) => {
      const actor = keyId.split('#')[0];
      const follow = { ...activities.follow(evil, server.actor), actor, id: `${actor}/follows/${crypto.randomUUID()}` };
      return evil.send(follow, { to, status: ANY_REFUSAL, signer: { keyId, key: evil.key } });
    },
    /** What comes last: an honest follow, all the way, and nothing that should not have happened. */
    isUnharmed: async () => {
      await honest.send(activities.follow(honest, server.actor), { to });
      const followers = await server.operator.until('followers', (all) => all.some(({ link }) => link === honest.id));
      assert.equal(followers.length, 1, JSON.stringify(followers));
      assert.equal(trap.caught(), 0, 'nobody stepped into the trap');
      const astray = network.connections().filter((address) => !address.startsWith('93.184.216.'));
      assert.deepEqual(astray, [], 'connections to other than public addresses');
      await honest.hears('Accept');
    },
  };
}

/** Addresses of this machine, its network and its cloud, in all their spellings. */
const inside = (port) => [
  `https://127.0.0.1:${port}/k`,
  `https://127.1:${port}/k`,
  `https://2130706433:${port}/k`,
  `https://0x7f000001:${port}/k`,
  `https://0177.0.0.1:${port}/k`,
  `https://[::1]:${port}/k`,
  `https://[::ffff:127.0.0.1]:${port}/k`,
  `https://[::ffff:10.0.0.1]/k`,
  `https://169.254.169.254/latest/meta-data`,
  `https://localhost:${port}/k`,
  `https://peer:${port}/k`,
  `https://nas.local:${port}/k`,
  `https://metadata.google.internal/k`,
  `https://evil.example@127.0.0.1:${port}/k`,
  `http://evil.example/k`,
];

test('the trap and the log notice who goes there', async (t) => {
  const [network, trap, folder] = [await networkFor(t), await trapFor(t), await scratchFolder(t)];
  network.name('inside.example', '127.0.0.1');
  const look = (url, ...flags) =>
    rillcast(['doctor', '--data-dir', join(folder, 'data'), '--server-url', url, ...flags], { env: network.env });
  await look(`https://inside.example:${trap.port}`);
  assert.deepEqual([network.lookups('inside.example'), network.connections(), trap.caught()], [1, [], 0]);
  await look(`https://inside.example:${trap.port}`, '--danger-allow-internal-addresses');
  assert.deepEqual([network.connections(), trap.caught()], [['127.0.0.1'], 1]);
});

test('the same claims lead into the trap where the guard is switched off', async (t) => {
  const { claim, network, trap } = await arena(t, { args: ['--danger-allow-internal-addresses'] });
  network.name('inside.example', '127.0.0.1');
  await claim(`https://inside.example:${trap.port}/users/a#main-key`);
  await eventually(() => trap.caught() > 0);
  assert.ok(network.connections().includes('127.0.0.1'));
});

test('a key at an address of the own network is never asked for', async (t) => {
  const { claim, trap, isUnharmed, network } = await arena(t);
  for (const url of inside(trap.port)) await claim(`${url}#main-key`);
  await isUnharmed();
  for (const host of ['localhost', 'peer', 'nas.local', 'metadata.google.internal'])
    assert.equal(network.lookups(host), 0, `${host} was looked up`);
});

test('a name that leads into the own network is looked up and not connected to', async (t) => {
  const { claim, network, isUnharmed } = await arena(t);
  const answers = [
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '::1',
    '::ffff:127.0.0.1',
    'fe80::1',
    '64:ff9b::7f00:1',
  ];
  for (const [number, answer] of answers.entries()) {
    const host = `inside-${number}.example`;
    network.name(host, answer);
    await claim(`https://${host}/users/a#main-key`);
    await eventually(() => network.lookups(host) > 0);
  }
  await isUnharmed();
});

test('a name that changes its answer gains nothing', async (t) => {
  const { world, claim, network, evil, isUnharmed } = await arena(t);
  network.name('evil.example', '93.184.216.3', '127.0.0.1');
  const calls = world.relay('evil.example').calls();
  // The key has to be confirmed by its owner, and that is a second look-up.
  const key = { id: `${evil.base}/key`, owner: evil.id, publicKeyPem: evil.publicPem };
  evil.documents.set('/key', { '@context': [AS, 'https://w3id.org/security/v1'], type: 'Key', ...key });
  const follow = activities.follow(evil, 'https://stream.example/federation/user/live');
  const signer = { keyId: key.id, key: evil.key };
  await evil.send(follow, { to: 'https://stream.example/federation/user/live/inbox', status: ANY_REFUSAL, signer });
  await eventually(() => network.lookups('evil.example') > 1);
  await claim('https://evil.example/users/other#main-key');
  await isUnharmed();
  assert.ok(world.relay('evil.example').calls() > calls, 'the first answer was used');
});

test('a redirect into the own network, to http or in a circle is not followed', async (t) => {
  const { world, claim, network, trap, isUnharmed } = await arena(t);
  network.name('inside.example', '10.0.0.1');
  const targets = [
    ...inside(trap.port).slice(0, 10),
    `https://inside.example/k`,
    `http://honest.example/k`,
    `http://127.0.0.1:${trap.port}/k`,
    'https://evil.example/around',
  ];
  let asked = 0;
  await world.serve('evil.example', (request, response) => {
    asked += 1;
    const number = /^\/r(\d+)$/.exec(request.url)?.[1];
    const location = number === undefined ? '/around' : targets[number];
    response.writeHead(302, { Location: location, Connection: 'close' }).end();
  });
  for (const number of targets.keys()) {
    const before = asked;
    await claim(`https://evil.example/r${number}#main-key`);
    await eventually(() => asked > before);
  }
  await isUnharmed();
  assert.ok(asked < targets.length + 8, `a circle was walked ${asked} times`);
});

const memoryOf = ({ pid }) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;

test('a body that is too big, a bomb, endless or slow is given up', async (t) => {
  const { world, claim, server, isUnharmed } = await arena(t);
  const headers = { 'Content-Type': 'application/activity+json' };
  const ends = new Map();
  const bomb = gzipSync(Buffer.alloc(256 * MIB, ' '));
  const kinds = {
    '/big': (response) =>
      response.writeHead(200, { ...headers, 'Content-Length': 2 * MIB }).end(Buffer.alloc(2 * MIB, ' ')),
    '/bomb': (response) => response.writeHead(200, { ...headers, 'Content-Encoding': 'gzip' }).end(bomb),
    '/endless': (response) => {
      response.writeHead(200, headers);
      const part = Buffer.alloc(64 * 1024, ' ');
      const pour = () => {
        while (!response.destroyed && response.write(part));
        response.once('drain', pour);
      };
      pour();
    },
    '/slow': (response) => {
      response.writeHead(200, headers);
      const drip = setInterval(() => response.write(' '), 100);
      response.once('close', () => clearInterval(drip));
    },
    '/silent': () => {},
  };
  await world.serve('evil.example', (request, response) => {
    const { socket } = request;
    socket.once('close', () => ends.set(request.url, socket.bytesWritten));
    kinds[request.url]?.(response);
  });
  const before = memoryOf(server);
  const isOver = async (paths) => {
    for (const path of paths) await claim(`https://evil.example${path}#main-key`);
    await eventually(() => paths.every((path) => ends.has(path)), { deadlineMs: 40_000 }).catch(() => {
      throw new Error(`still open: ${paths.filter((path) => !ends.has(path))}`);
    });
  };
  // Two keys of one host are fetched at once, and who does not get a turn within seconds is asked again much later:
  // those that are given up by the clock would keep the others waiting.
  await isOver(['/big', '/bomb', '/endless']);
  await isOver(['/slow', '/silent']);
  for (const [path, sent] of ends) assert.ok(sent < MOST_SENT, `${path} sent ${sent} bytes`);
  const growth = memoryOf(server) - before;
  assert.ok(growth < MOST_GROWTH, `the server grew by ${growth} bytes`);
  await isUnharmed();
});

test('a document of another type, of another place or of somebody else is not believed', async (t) => {
  const { world, server, evil, honest, to, isUnharmed } = await arena(t);
  const asked = new Set();
  const good = (id) => ({
    ...evil.actorDocument(),
    id,
    inbox: `${id}/inbox`,
    publicKey: { id: `${id}#main-key`, owner: id, publicKeyPem: evil.publicPem },
  });
  const at = (name) => `https://evil.example/users/${name}`;
  const lies = {
    plain: { type: 'application/json' },
    page: { type: 'text/html' },
    untyped: { type: undefined },
    elsewhere: { document: { ...good(at('elsewhere')), id: honest.id } },
    other: {
      document: {
        ...good(at('other')),
        publicKey: { id: `${at('other')}#main-key`, owner: honest.id, publicKeyPem: evil.publicPem },
      },
    },
    inboxed: { document: { ...good(at('inboxed')), inbox: 'https://127.0.0.1/inbox' } },
    farInbox: { document: { ...good(at('farInbox')), inbox: `${honest.id}/inbox` } },
    keyless: { document: { ...good(at('keyless')), publicKey: undefined } },
    listed: { document: [good(at('listed'))] },
    broken: { text: '{' },
  };
  await world.serve('evil.example', (request, response) => {
    const name = request.url.split('/').pop();
    const { type = 'application/activity+json', document = good(at(name)), text } = { ...lies[name] };
    asked.add(name);
    const isUntyped = name in lies && 'type' in lies[name] && lies[name].type === undefined;
    response.writeHead(200, isUntyped ? {} : { 'Content-Type': type });
    response.end(text ?? JSON.stringify(document));
  });
  for (const name of Object.keys(lies)) {
    const follow = { ...activities.follow(evil, server.actor), actor: at(name), id: `${at(name)}/follows/1` };
    await evil.send(follow, { to, status: ANY_REFUSAL, signer: { keyId: `${at(name)}#main-key`, key: evil.key } });
    await eventually(() => asked.has(name));
  }
  await isUnharmed();
});

test('what the operator or a viewer types leads nowhere inside either', async (t) => {
  const { server, network, trap, isUnharmed } = await arena(t);
  network.name('inside.example', '127.0.0.1');
  const post = (path, document, headers = {}) =>
    fetch(server.http + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(document),
    });
  for (const url of [...inside(trap.port), 'https://inside.example'])
    await assert.rejects(server.operator.feature(url), /answered with 4\d\d/, url);
  const authorities = ['127.0.0.1', `127.0.0.1:${trap.port}`, 'localhost', '[::1]'];
  for (const authority of authorities) {
    const answer = await post('/api/remotefollow', { account: `alice@${authority}` });
    assert.ok(answer.status >= 400 && answer.status < 500, `${authority}: ${answer.status}`);
  }
  const answer = await post('/api/remotefollow', { account: 'alice@inside.example' });
  assert.ok(answer.status >= 400, `inside.example: ${answer.status}`);
  await isUnharmed();
});

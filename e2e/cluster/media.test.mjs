// A stream that one machine takes in is played by all, behind HAProxy as deploy/ has it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { test } from 'node:test';
import { untilState } from '../lib/broadcast.mjs';
import { join, sayAndHear } from '../lib/chat.mjs';
import { adminOf, clusterFor } from '../lib/cluster.mjs';
import { clusterHaproxy } from '../lib/cluster-proxies.mjs';
import { eventually } from '../lib/eventually.mjs';
import { playlist, untilSegments, VIDEO } from '../lib/hls.mjs';
import { publisherFor } from '../lib/publisher.mjs';

const FOLDER = VIDEO.slice(0, VIDEO.lastIndexOf('/') + 1);

async function digest(server, name) {
  const response = await fetch(server.http + FOLDER + name);
  assert.equal(response.status, 200, name);
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex');
}

// At the same two machines, because starting them takes longer than all of this. The last one kills one.
test('two machines behind HAProxy have one stream', async (t) => {
  const [left, right] = await clusterFor(t, ['left', 'right']);
  const haproxy = await clusterHaproxy(t, [left, right]);
  const admin = await adminOf(left);
  const it = (name, check) => t.test(name, check);

  await it('a stream pushed to one machine is played by the other, with the same names and the same bytes', async (sub) => {
    publisherFor(sub, { rtmp: haproxy.rtmp, streamKey: left.streamKey });
    for (const machine of [left, right]) {
      await untilState(machine, 'live');
      await untilSegments(machine, 2);
    }
    const { maps, segments, parts, mediaSequence } = await playlist(right);
    for (const name of [...maps, ...segments, ...parts.slice(-2).map(({ URI }) => URI)]) {
      assert.equal(await digest(right, name), await digest(left, name), name);
    }
    // A reload that waits, waits at any of them, and HAProxy lets it.
    const wanted = mediaSequence + segments.length + 1;
    const next = `${VIDEO}?_HLS_msn=${wanted}&_HLS_part=0`;
    const answers = await Promise.all([left, right, haproxy].map((place) => fetch(place.http + next)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    const lists = await Promise.all(answers.map((answer) => answer.text()));
    const names = lists.map((text) => new RegExp(`part-[0-9a-f]+-${wanted}-0\\.m4s`).exec(text)?.[0]);
    assert.ok(names[0]);
    assert.deepEqual(names, [names[0], names[0], names[0]]);

    // What a visitor claims stands before what the proxy knows, and is not believed.
    await askFrom('127.0.0.5', haproxy.http + VIDEO, { 'x-forwarded-for': '198.51.100.7' });
    const addresses = await eventually(async () => {
      const found = await Promise.all([left, right].map((machine) => viewersAt(machine, admin)));
      return found.flat().includes('127.0.0.5') && found.flat();
    });
    assert.ok(!addresses.includes('198.51.100.7'), `${addresses}`);
  });

  await it('HAProxy before two machines passes on sockets, and leads past one that dies', async () => {
    const people = await Promise.all(['Ada', 'Bob'].map((name) => join(haproxy, name)));
    await sayAndHear(people[0], 'through HAProxy');
    await people[1].hears(({ body }) => /through HAProxy/.test(body ?? ''));
    await Promise.all(people.map((person) => person.leave()));
    const name = (await fetch(`${haproxy.http}/api/status`)).headers.get('x-rillcast-node');
    assert.ok(['left', 'right'].includes(name), name);

    // HAProxy says that visitors came by HTTPS, where the cookie has another name than at the machines themselves.
    const visitor = await adminOf(haproxy);
    await left.kill();
    const late = await join(haproxy, 'Dora');
    await sayAndHear(late, 'and the other one serves');
    const { status } = await visitor.at(haproxy).get('/api/admin/nodes');
    assert.equal(status, 200, 'whoever signed in at one is signed in at all');
    await late.leave();
  });
});

async function viewersAt(machine, admin) {
  return (await admin.at(machine).get('/api/admin/viewers')).json().map(({ ipAddress }) => ipAddress);
}

/** A request from another address of this machine. */
function askFrom(localAddress, url, headers) {
  return new Promise((resolve, reject) => {
    const asking = get(url, { localAddress, headers, agent: false }, (answer) => answer.resume().on('end', resolve));
    asking.on('error', reject);
  });
}

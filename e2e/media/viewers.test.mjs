// Viewers that mean harm, and many at once.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get as httpGet } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { untilState } from '../lib/broadcast.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { tool } from '../lib/command.mjs';
import { AUDIO, get, MASTER, playlist, streamsOf, untilPlaylist, untilSegments, VIDEO } from '../lib/hls.mjs';
import { publish, publisherFor } from '../lib/publisher.mjs';
import { serverFor, startServer } from '../lib/server.mjs';

const WAITING = 200;
/** Only the order of segments counts here, so they come more often than they last. */
const SPEED = 4;

let server;
let publisher;
before(async () => {
  server = await startServer();
  publisher = publish(server, { speed: SPEED });
  await untilState(server, 'live');
});
after(async () => {
  await publisher?.kill();
  await server?.stop();
});

/** The status of a request whose target goes out as it is: other clients tidy `..` up. */
async function rawStatus(target) {
  const { hostname: host, port } = new URL(server.http);
  const socket = connect({ host, port: Number(port) });
  await once(socket, 'connect');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket.setEncoding('latin1')) answer += chunk;
  return { status: Number(answer.split(' ')[1]), answer };
}

const ELSEWHERE = [
  '/hls/../rillcast.db',
  '/hls/../../etc/passwd',
  '/hls/0/../../../../etc/passwd',
  '/hls/%2e%2e/rillcast.db',
  '/hls/0/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '/hls/..%5c..%5crillcast.db',
  '/hls/0/....//....//etc/passwd',
  '/hls/0//etc/passwd',
  '/hls/%00',
  '/hls/0/stream.m3u8%00.mp4',
  `/hls/${'../'.repeat(200)}etc/passwd`,
  '/hls/',
  '/hls/0/',
  '/hls/0/part-0000000000000000-0-0.m4s',
  '/hls/1/stream.m3u8',
];

test('a recorder that was given the address of one quality records picture and sound', async (t) => {
  await untilSegments(server, 2);
  const folder = await scratchFolder(t);
  const file = join(folder, 'recording.mp4');
  const command = ['-nostdin', '-v', 'error', '-i', `${server.http}/hls/0/stream.m3u8`, '-t', '4', '-c', 'copy', file];
  await tool('ffmpeg', command, { deadlineMs: 60_000 });
  const kinds = (await streamsOf(file)).map((stream) => stream.codec_type);
  assert.deepEqual(kinds.sort(), ['audio', 'video']);
});

test('the last segment changes five times, and each can be fetched', async () => {
  const seen = new Set();
  while (seen.size < 5) {
    const { segments } = await untilPlaylist(server, ({ segments: now }) => now.length > 0 && !seen.has(now.at(-1)));
    const last = segments.at(-1);
    const { status } = await get(server, new URL(last, new URL(VIDEO, server.http)).pathname);
    assert.equal(status, 200, last);
    seen.add(last);
  }
});

for (const target of ELSEWHERE) {
  test(`nothing is found at ${target.length > 60 ? `${target.slice(0, 60)}…` : target}`, async () => {
    const { status, answer } = await rawStatus(target);
    assert.ok([400, 404].includes(status), answer.slice(0, 200));
    assert.doesNotMatch(answer, /root:|SQLite format/);
  });
}

const ASKS_TOO_MUCH = [
  '_HLS_part=0',
  '_HLS_msn=18446744073709551615',
  '_HLS_msn=18446744073709551616',
  '_HLS_msn=99999999999999999999999999999999&_HLS_part=0',
  '_HLS_msn=-1',
  '_HLS_msn=1e3',
  '_HLS_msn=',
  '_HLS_msn=0x10&_HLS_part=1',
];

for (const query of ASKS_TOO_MUCH) {
  test(`a reload with ${query} is refused at once`, async () => {
    const { status, text } = await get(server, `${VIDEO}?${query}`);
    assert.equal(status, 400, text);
  });
}

test('a part far beyond the end of a segment is not waited for without end', async () => {
  const { mediaSequence, segments } = await untilPlaylist(server);
  const open = mediaSequence + segments.length;
  const { status } = await get(server, `${VIDEO}?_HLS_msn=${open}&_HLS_part=4294967295`);
  assert.ok([200, 400].includes(status), `answered with ${status}`);
});

test('after all that the stream is as it was', async () => {
  await untilState(server, 'live');
  assert.ok(publisher.isRunning());
  assert.doesNotMatch(server.logs(), /panicked|ERROR/);
});

/** A blocked reload: resolves to its status when it is answered. */
function reload(agent, url) {
  return new Promise((resolve, reject) => {
    const request = httpGet(url, { agent }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    });
    request.once('error', reject);
  });
}

test(`${WAITING} players that wait for more are all answered when the publisher is gone and the stream over`, async (t) => {
  const lonely = await serverFor(t, { args: ['--set', 'grace_seconds=3'] });
  const lost = publisherFor(t, lonely);
  await untilPlaylist(lonely, ({ parts }) => parts.length > 0);
  await lost.kill();
  await untilState(lonely, 'waiting');
  const agent = new Agent({ keepAlive: true, maxSockets: WAITING });
  t.after(() => agent.destroy());
  const { mediaSequence, segments } = await playlist(lonely);
  const next = mediaSequence + segments.length + 1;
  const paths = [VIDEO, AUDIO].map((path) => `${lonely.http}${path}?_HLS_msn=${next}&_HLS_part=0`);
  const statuses = await Promise.all(Array.from({ length: WAITING }, (_, at) => reload(agent, paths[at % 2])));
  for (const status of statuses) assert.ok([200, 503].includes(status), `answered with ${status}`);
  assert.equal((await get(lonely, MASTER)).status, 200);
});

test(`${WAITING} players that wait for more are all answered when the publisher is back`, async (t) => {
  const lonely = await serverFor(t);
  const lost = publisherFor(t, lonely);
  await untilPlaylist(lonely, ({ parts }) => parts.length > 0);
  await lost.kill();
  await untilState(lonely, 'waiting');
  const agent = new Agent({ keepAlive: true, maxSockets: WAITING });
  t.after(() => agent.destroy());
  const { mediaSequence, segments } = await playlist(lonely);
  const next = mediaSequence + segments.length + 1;
  const url = `${lonely.http}${VIDEO}?_HLS_msn=${next}&_HLS_part=0`;
  const answers = Array.from({ length: WAITING }, () => reload(agent, url));
  publisherFor(t, lonely);
  const statuses = await Promise.all(answers);
  assert.deepEqual([...new Set(statuses)], [200]);
});

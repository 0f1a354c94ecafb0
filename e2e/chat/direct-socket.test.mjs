// Two ways of a line to a listener: straight from the room where the connection is plain, by a queue where there is TLS.
import assert from 'node:assert/strict';
import { request } from 'node:https';
import { test } from 'node:test';
import WebSocket from 'ws';
import { basicClient, PASSWORD } from '../lib/admin.mjs';
import { makePair } from '../lib/certificates.mjs';
import { join } from '../lib/chat.mjs';
import { afterwards, scratchFolder } from '../lib/cleanup.mjs';
import { eventually } from '../lib/eventually.mjs';
import { serverFor } from '../lib/server.mjs';
import { NO_FLOOD_PROTECTION } from '../lib/chat-page.mjs';

const ARGS = ['--admin-password', PASSWORD, ...NO_FLOOD_PROTECTION];
const TRUSTING = { rejectUnauthorized: false };
const LINES = 20;

/** A request to a server whose certificate nobody vouches for. */
function ask(url, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const asking = request(url, { ...TRUSTING, method, headers, agent: false }, async (answer) => {
      let text = '';
      for await (const part of answer.setEncoding('utf8')) text += part;
      resolve(text);
    });
    asking.once('error', reject);
    asking.end(body);
  });
}

const directCount = (metrics) => Number(/^rillcast_chat_straight_connections (\d+)$/m.exec(metrics)?.[1] ?? 0);

test('where the connection is plain the room writes to it by itself, and lets go of it at the end', async (t) => {
  const server = await serverFor(t, { args: ARGS });
  const count = async () => directCount((await basicClient(server).get('/api/admin/prometheus')).text);
  const people = [await join(server, 'ada'), await join(server, 'bob')];
  await eventually(async () => (await count()) === 2);
  for (let number = 0; number < LINES; number += 1) people[number % 2].say(`line ${number}`);
  for (const person of people) {
    await eventually(() => person.events.filter(({ type }) => type === 'CHAT').length === LINES);
  }
  const heard = people.map(({ events }) => events.filter(({ type }) => type === 'CHAT').map(({ id }) => id));
  assert.deepEqual(heard[0], heard[1], 'the same lines in the same order');
  await people[0].leave();
  people[1].drop();
  await eventually(async () => (await count()) === 0);
});

test('where there is TLS the same lines come by a queue', async (t) => {
  const { cert, key } = await makePair(await scratchFolder(t), 'straight');
  const server = await serverFor(t, { args: [...ARGS, '--tls-cert', cert, '--tls-key', key] });
  const sockets = [];
  for (const displayName of ['ada', 'bob']) {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ displayName });
    const answer = await ask(`${server.http}/api/chat/register`, { method: 'POST', headers, body });
    const query = new URLSearchParams({ accessToken: JSON.parse(answer).accessToken });
    const socket = new WebSocket(`${server.http.replace(/^http/, 'ws')}/ws?${query}`, TRUSTING);
    afterwards(t, () => socket.terminate());
    const heard = [];
    socket.on('message', (frame) => heard.push(JSON.parse(frame)));
    await eventually(() => heard.some(({ type }) => type === 'CONNECTED_USER_INFO'));
    sockets.push({ socket, lines: () => heard.filter(({ type }) => type === 'CHAT').map(({ id }) => id) });
  }
  for (let number = 0; number < LINES; number += 1) {
    sockets[number % 2].socket.send(JSON.stringify({ type: 'CHAT', body: `line ${number}` }));
  }
  for (const { lines } of sockets) await eventually(() => lines().length === LINES);
  assert.deepEqual(sockets[0].lines(), sockets[1].lines(), 'the same lines in the same order');
  const headers = { Authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}` };
  assert.equal(directCount(await ask(`${server.http}/api/admin/prometheus`, { headers })), 0);
});

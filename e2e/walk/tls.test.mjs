// TLS: both HTTP versions, and certificates that are replaced while the server runs.
import assert from 'node:assert/strict';
import { copyFile, readFile, rename, writeFile } from 'node:fs/promises';
import { connect } from 'node:http2';
import { get } from 'node:https';
import { join } from 'node:path';
import { test } from 'node:test';
import { makePair, presented } from '../lib/certificates.mjs';
import { afterwards, scratchFolder } from '../lib/cleanup.mjs';
import { eventually } from '../lib/eventually.mjs';
import { serverFor } from '../lib/server.mjs';

/** The server looks every five seconds. */
const LOOK_DEADLINE_MS = 30_000;

async function tlsServer(t) {
  const folder = await scratchFolder(t);
  const [first, second] = [await makePair(folder, 'first'), await makePair(folder, 'second')];
  const live = { cert: join(folder, 'live.crt'), key: join(folder, 'live.key') };
  const install = async (pair) => {
    // Renamed into place, as certificate tools do it.
    for (const part of ['cert', 'key']) {
      await copyFile(pair[part], `${live[part]}.new`);
      await rename(`${live[part]}.new`, live[part]);
    }
  };
  await install(first);
  const server = await serverFor(t, { args: ['--tls-cert', live.cert, '--tls-key', live.key] });
  return { server, first, second, live, install, authority: await readFile(first.cert) };
}

function secureGet(url, ca) {
  return new Promise((resolve, reject) => {
    get(url, { ca }, (response) => {
      response.resume();
      response.once('end', () => resolve({ status: response.statusCode, headers: response.headers }));
    }).once('error', reject);
  });
}

test('https is spoken over HTTP/1.1 and HTTP/2, and the client chooses', async (t) => {
  const { server, authority } = await tlsServer(t);
  assert.match(server.http, /^https:/);
  const answer = await secureGet(`${server.http}/api/status`, authority);
  assert.equal(answer.status, 200);
  assert.match(answer.headers['strict-transport-security'], /max-age=\d+/);
  assert.equal((await presented(server, ['h2', 'http/1.1'])).protocol, 'h2');
  assert.equal((await presented(server, ['http/1.1'])).protocol, 'http/1.1');

  const session = connect(server.http, { ca: authority });
  afterwards(t, () => session.destroy());
  const statuses = await Promise.all(
    Array.from(
      { length: 20 },
      () =>
        new Promise((resolve, reject) => {
          const request = session.request({ ':path': '/api/config' });
          request.once('response', (headers) => resolve(headers[':status']));
          request.once('error', reject);
          request.resume();
        }),
    ),
  );
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.equal(session.alpnProtocol, 'h2');
  session.close();
  assert.equal(await server.stop(), 0);
});

test('a plain request to the TLS port, and garbage, leave the server as it was', async (t) => {
  const { server, authority } = await tlsServer(t);
  await assert.rejects(fetch(server.http.replace('https', 'http')));
  assert.equal((await secureGet(`${server.http}/healthz`, authority)).status, 200);
});

test('a replaced certificate is served after SIGHUP, and garbage is not', async (t) => {
  const { server, first, second, live, install } = await tlsServer(t);
  assert.equal((await presented(server)).name, 'first');
  await install(second);
  process.kill(server.pid, 'SIGHUP');
  await eventually(async () => (await presented(server)).name === 'second');

  await writeFile(live.cert, 'no certificate at all');
  process.kill(server.pid, 'SIGHUP');
  await eventually(() => server.logs().includes('keeping the old one'));
  assert.equal((await presented(server)).name, 'second');

  // A certificate with the key of another one is just as wrong.
  const complaints = () => server.logs().split('do not work together').length;
  const before = complaints();
  await copyFile(first.cert, live.cert);
  process.kill(server.pid, 'SIGHUP');
  await eventually(() => complaints() > before);
  assert.equal((await presented(server)).name, 'second');
  await copyFile(first.key, live.key);
  process.kill(server.pid, 'SIGHUP');
  await eventually(async () => (await presented(server)).name === 'first');
  assert.equal(await server.stop(), 0);
});

test('a replaced certificate is noticed without being told', async (t) => {
  const { server, second, install } = await tlsServer(t);
  assert.equal((await presented(server)).name, 'first');
  await install(second);
  await eventually(async () => (await presented(server)).name === 'second', { deadlineMs: LOOK_DEADLINE_MS });
  assert.equal(await server.stop(), 0);
});

test('SIGHUP without TLS changes nothing', async (t) => {
  const server = await serverFor(t, {});
  process.kill(server.pid, 'SIGHUP');
  assert.equal((await fetch(`${server.http}/healthz`)).status, 200);
  assert.equal(await server.stop(), 0);
});

/** One request on an HTTP/2 connection, with a body. */
function ask(session, headers, body) {
  return new Promise((resolve, reject) => {
    const request = session.request(headers);
    let answer;
    let text = '';
    request.setEncoding('utf8');
    request.once('response', (received) => {
      answer = received;
    });
    request.on('data', (part) => {
      text += part;
    });
    request.once('end', () => resolve({ status: answer[':status'], headers: answer, text }));
    request.once('error', reject);
    request.end(body);
  });
}

test('a browser signs in over HTTP/2, where the host is no header, and foreign pages do not', async (t) => {
  const { server, authority } = await tlsServer(t);
  const session = connect(server.http, { ca: authority });
  afterwards(t, () => session.destroy());
  const setUp = (origin) => {
    const headers = { ':method': 'POST', ':path': '/api/admin/setup', origin, 'sec-fetch-site': 'same-origin' };
    const token = new URL(server.setupUrl).hash.slice(1);
    return ask(session, headers, JSON.stringify({ token, password: 'correct horse battery' }));
  };
  const foreign = await setUp('https://evil.example');
  assert.equal(foreign.status, 403);
  assert.match(foreign.text, /evil\.example.*--server-url/s, 'the operator of a proxy reads what does not fit');
  const own = await setUp(server.http);
  assert.equal(own.status, 200, own.text);
  const [cookie] = own.headers['set-cookie'];
  assert.match(cookie, /^__Host-rillcast_admin=.*; Secure/);
  const status = await ask(session, { ':path': '/api/admin/status', cookie: `rillcast_admin=stale; ${cookie.split(';')[0]}` });
  assert.equal(status.status, 200);
});

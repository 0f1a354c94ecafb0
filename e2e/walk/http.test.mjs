// HTTP details that proxies and browsers rely on.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterwards } from '../lib/cleanup.mjs';
import { serverFor } from '../lib/server.mjs';

/** A GET by hand: `fetch` would decode bodies and refuse some headers. */
function get(server, path, headers = {}) {
  return new Promise((resolve, reject) => {
    const asked = request(server.http + path, { headers }, async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) });
    });
    asked.once('error', reject);
    asked.end();
  });
}

const decoded = { br: brotliDecompressSync, gzip: gunzipSync, undefined: (body) => body };

test('HTTP/2 without TLS is spoken to who knows it, beside HTTP/1.1', async (t) => {
  const server = await serverFor(t, {});
  const session = connectHttp2(server.http);
  afterwards(t, () => session.destroy());
  const ask = (path) =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ':path': path });
      let text = '';
      let status;
      stream.setEncoding('utf8');
      stream.on('response', (headers) => (status = headers[':status']));
      stream.on('data', (chunk) => (text += chunk));
      stream.on('end', () => resolve({ status, text }));
      stream.on('error', reject);
    });
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask('/api/status')));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(JSON.parse(answers[0].text).online, false);
  assert.equal((await ask('/no/such/page')).status, 404);
  assert.equal((await get(server, '/api/status')).status, 200);
  session.close();
  assert.equal(await server.stop(), 0);
});

test('requests in a row on one connection are answered in order', async (t) => {
  const server = await serverFor(t, {});
  const socket = connect({ port: Number(new URL(server.http).port), host: '127.0.0.1' });
  afterwards(t, () => socket.destroy());
  await once(socket, 'connect');
  const line = (path, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
  socket.write(line('/healthz') + line('/nothing') + line('/api/status', 'Connection: close\r\n'));
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  assert.deepEqual(text.match(/^HTTP\/1\.1 \d+/gm), ['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
});

test('X-Forwarded-For is believed from trusted proxies only', async (t) => {
  const seen = async (server, forwarded) =>
    (await get(server, '/healthz', forwarded && { 'X-Forwarded-For': forwarded })).headers['x-rillcast-client'];
  const plain = await serverFor(t, {});
  assert.equal(await seen(plain), '127.0.0.1');
  assert.equal(await seen(plain, '198.51.100.7'), '127.0.0.1');
  const proxied = await serverFor(t, { args: ['--trusted-proxies', '127.0.0.1,10.0.0.0/8'] });
  assert.equal(await seen(proxied), '127.0.0.1');
  assert.equal(await seen(proxied, '198.51.100.7'), '198.51.100.7');
  // The last one that is no proxy of ours counts; what stands before it, the client may have made up.
  assert.equal(await seen(proxied, '203.0.113.9, 198.51.100.7, 10.1.2.3'), '198.51.100.7');
  assert.equal(await seen(proxied, '2001:db8::7'), '2001:db8::7');
  assert.equal(await seen(proxied, 'unknown, <script>'), '127.0.0.1');
});

test('the login throttle counts the client behind the proxy', async (t) => {
  const server = await serverFor(t, {
    args: ['--trusted-proxies', '127.0.0.1', '--admin-password', 'the right one, really'],
  });
  const signIn = async (password, address) => {
    const answer = await fetch(`${server.http}/api/admin/session`, {
      method: 'POST',
      headers: { 'X-Forwarded-For': address },
      body: JSON.stringify({ password }),
    });
    return answer.status;
  };
  // The operator has signed in from here before, so a flood from elsewhere does not lock them out.
  assert.equal(await signIn('the right one, really', '192.0.2.1'), 200);
  const flood = [];
  for (let n = 0; n < 6; n += 1) flood.push(await signIn('wrong', '198.51.100.7'));
  assert.deepEqual(flood, [401, 401, 401, 401, 401, 429]);
  assert.equal(await signIn('the right one, really', '192.0.2.1'), 200);
});

test('answers are compressed as the client wishes', async (t) => {
  const server = await serverFor(t, {});
  const page = (await get(server, '/')).body.toString();
  const asset = /\/assets\/[\w.-]+\.js/.exec(page)[0];
  for (const path of ['/api/config', '/', asset]) {
    const plain = await get(server, path);
    assert.equal(plain.status, 200, path);
    assert.equal(plain.headers['content-encoding'], undefined);
    for (const [accepted, expected] of [
      ['br', 'br'],
      ['gzip', 'gzip'],
      ['gzip, deflate, br', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', undefined],
    ]) {
      const answer = await get(server, path, { 'Accept-Encoding': accepted });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['content-encoding'], expected, `${path} for ${accepted}`);
      assert.match(answer.headers.vary ?? '', /accept-encoding/i);
      const body = decoded[answer.headers['content-encoding']](answer.body);
      if (path !== '/') assert.deepEqual(body, plain.body, path); // the page carries a fresh nonce each time
      if (expected) assert.ok(answer.body.length < plain.body.length);
    }
  }
});

test('assets are cached for ever, and not sent twice', async (t) => {
  const server = await serverFor(t, {});
  const page = (await get(server, '/')).body.toString();
  const assets = [...new Set(page.match(/\/assets\/[\w.-]+\.(?:js|css)/g))];
  assert.ok(assets.length >= 2, page);
  for (const asset of assets) {
    for (const encoding of ['identity', 'gzip', 'br']) {
      const first = await get(server, asset, { 'Accept-Encoding': encoding });
      assert.match(first.headers['cache-control'], /max-age=31536000, immutable/);
      assert.match(first.headers.etag, /^(W\/)?".+"$/);
      for (const known of [first.headers.etag, `"other", ${first.headers.etag}`, `W/${first.headers.etag}`, '*']) {
        const again = await get(server, asset, { 'Accept-Encoding': encoding, 'If-None-Match': known });
        assert.deepEqual([again.status, again.body.length], [304, 0], `${asset} for ${known}`);
        assert.equal(again.headers.etag, first.headers.etag);
      }
      const other = await get(server, asset, { 'Accept-Encoding': encoding, 'If-None-Match': '"other"' });
      assert.equal(other.status, 200);
    }
    assert.equal((await get(server, `${asset}.br`)).status, 404);
  }
  assert.equal((await get(server, '/assets/no-such-file.js')).status, 404);
  assert.equal((await get(server, '/assets/..%2findex.html')).status, 404);
  for (const path of ['/api/config', '/api/status']) {
    assert.match((await get(server, path)).headers['cache-control'], /no-cache|no-store/, path);
  }
});

test('every answer carries the safety headers and an id of its own', async (t) => {
  const server = await serverFor(t, {});
  const ids = new Set();
  for (const path of ['/', '/api/status', '/admin/', '/api/admin/status', '/no/such/page']) {
    const { headers } = await get(server, path);
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    if (headers['content-type']?.startsWith('text/html')) assert.ok(headers['content-security-policy'], path);
    ids.add(headers['x-request-id']);
  }
  assert.equal(ids.size, 5);
});

// A provider that people sign in to the chat with, and the two steps of that.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PASSWORD } from './admin.mjs';
import { makePair } from './certificates.mjs';
import { afterwards } from './cleanup.mjs';
import { serverFor } from './server.mjs';

/** A page that names its endpoint, and the endpoint: it confirms a code only to whoever has the verifier. */
async function providerFor(t) {
  const folder = await mkdtemp(join(tmpdir(), 'rillcast-provider-'));
  afterwards(t, () => rm(folder, { recursive: true }));
  const { cert, key } = await makePair(folder, 'me.example');
  const exchanges = [];
  const server = createServer({ cert: await readFile(cert), key: await readFile(key) }, async (request, response) => {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'text/html');
      return response.end('<html><head><link rel="authorization_endpoint" href="/auth"></head></html>');
    }
    let body = '';
    for await (const part of request) body += part;
    exchanges.push(Object.fromEntries(new URLSearchParams(body)));
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ me: 'https://me.example/' }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(t, () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: server.address().port, exchanges };
}

/** A server that people sign in to with `https://me.example`, and the provider behind that. */
export async function serverAndProvider(t) {
  const provider = await providerFor(t);
  const server = await serverFor(t, {
    args: [
      ...['--admin-password', PASSWORD, '--server-url', 'https://live.example'],
      ...['--danger-allow-internal-addresses', '--danger-skip-tls-verify'],
      ...['--danger-resolve', `me.example=127.0.0.1:${provider.port}`],
    ],
  });
  return { server, provider };
}

/** Asks to sign in: the address the browser is sent to, and the cookie it gets. */
export async function beginSignIn(server, person, authHost = 'https://me.example') {
  const query = person.token ? `?${new URLSearchParams({ accessToken: person.token })}` : '';
  const response = await fetch(`${server.http}/api/auth/indieauth${query}`, {
    method: 'POST',
    headers: person.cookie ? { cookie: person.cookie } : {},
    body: JSON.stringify({ authHost }),
  });
  const answer = await response.json();
  return { status: response.status, answer, cookie: response.headers.get('set-cookie')?.split(';')[0] };
}

export function comeBack(server, state, cookie) {
  const query = new URLSearchParams({ state, code: 'a-code' });
  return fetch(`${server.http}/api/auth/indieauth/callback?${query}`, {
    headers: cookie ? { cookie } : {},
    redirect: 'manual',
  });
}

/** Both steps at once: whoever holds this token is `https://me.example` from now on. */
export async function signIn(server, person) {
  const { answer, cookie } = await beginSignIn(server, person);
  const { state } = Object.fromEntries(new URL(answer.redirect).searchParams);
  const back = await comeBack(server, state, cookie);
  if (back.status !== 307) throw new Error(`signing in failed: ${back.status} ${await back.text()}`);
}

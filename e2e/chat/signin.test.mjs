// Signing in to the chat with a page of one's own, judged by a provider that checks what it is sent.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { basicClient, PASSWORD } from '../lib/admin.mjs';
import { enter, register } from '../lib/chat.mjs';
import { beginSignIn as begin, comeBack, serverAndProvider } from '../lib/provider.mjs';
import { serverFor } from '../lib/server.mjs';
import { pluginAdminOf } from '../plugins/lib/plugin-admin.mjs';
import { passGate, putUpGate } from '../plugins/lib/gate.mjs';

test('a person proves their page, is marked for it, and is the same person in another browser', async (t) => {
  const { server, provider } = await serverAndProvider(t);
  const ada = await register(server, 'ada');
  const begun = await begin(server, ada);
  const redirect = new URL(begun.answer.redirect);
  assert.equal(redirect.origin + redirect.pathname, 'https://me.example/auth');
  const asked = Object.fromEntries(redirect.searchParams);
  assert.equal(asked.response_type, 'code');
  assert.equal(asked.code_challenge_method, 'S256');
  assert.equal(asked.redirect_uri, 'https://live.example/api/auth/indieauth/callback');
  assert.match(asked.state, /^[A-Za-z]{20}$/);

  const back = await comeBack(server, asked.state, begun.cookie);
  assert.equal(back.status, 307);
  assert.equal(back.headers.get('location'), '/');
  const [exchange] = provider.exchanges;
  assert.equal(exchange.grant_type, 'authorization_code');
  assert.equal(exchange.code, 'a-code');
  const proof = createHash('sha256').update(exchange.code_verifier).digest('base64url');
  assert.equal(proof, asked.code_challenge, 'the verifier fits the challenge');

  const client = await enter(server, ada);
  assert.equal(client.events[0].user.authenticated, true);
  const users = await basicClient(server).get('/api/admin/users');
  assert.deepEqual(users.json().results[0].authProviders, ['IndieAuth']);

  const likeAda = await register(server, 'A d a');
  assert.match(likeAda.name, /^A d a.{4}$/, 'her name is hers, however it is written');
  const impostor = await enter(server, await register(server, 'impostor'));
  impostor.send({ type: 'NAME_CHANGE', newName: 'ADA' });
  await impostor.hears((event) => event.notice === 'name');
  await impostor.leave();

  const other = await register(server, 'somebody new');
  const again = await begin(server, other);
  const { state } = Object.fromEntries(new URL(again.answer.redirect).searchParams);
  assert.equal((await comeBack(server, state, again.cookie)).status, 307);
  const same = await enter(server, other);
  assert.equal(same.events[0].user.id, ada.id, 'the token belongs to the person who had the page before');
  await client.leave();
  await same.leave();
});

test('a member behind a gate, whose token is in a cookie, signs in and is marked for it', async (t) => {
  const { server, provider } = await serverAndProvider(t);
  const admin = { cookie: await sessionOf(server) };
  await putUpGate(pluginAdminOf(server, admin));
  const member = { cookie: await passGate(server) };
  const begun = await begin(server, member);
  assert.equal(begun.status, 200, JSON.stringify(begun.answer));
  const { state } = Object.fromEntries(new URL(begun.answer.redirect).searchParams);
  const back = await comeBack(server, state, `${member.cookie}; ${begun.cookie}`);
  assert.deepEqual([back.status, back.headers.get('location')], [307, '/']);
  assert.equal(provider.exchanges.length, 1);
  const client = await enter(server, { name: 'member' }, { headers: { cookie: member.cookie } });
  assert.equal(client.events[0].user.authenticated, true);
  await client.leave();
});

/** The cookie of an operator who has signed in. */
async function sessionOf(server) {
  const answer = await fetch(`${server.http}/api/admin/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ password: PASSWORD }),
  });
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

test('a sign-in works once, in the browser that began it, and with a real page only', async (t) => {
  const { server } = await serverAndProvider(t);
  const ada = await register(server, 'ada');
  const begun = await begin(server, ada);
  const { state } = Object.fromEntries(new URL(begun.answer.redirect).searchParams);
  assert.equal((await comeBack(server, state)).status, 400, 'without the cookie');
  assert.equal((await comeBack(server, 'other', begun.cookie)).status, 400);
  assert.equal((await comeBack(server, state, begun.cookie)).status, 307);
  const failed = await comeBack(server, state, begun.cookie);
  assert.equal(failed.status, 400, 'a second time');
  assert.match(await failed.text(), /Sign-in failed/);
  for (const authHost of ['http://me.example', 'me', 'ftp://me.example', 'https://user:pass@me.example', '']) {
    assert.equal((await begin(server, ada, authHost)).status, 400, authHost);
  }
});

test('nobody signs in through our own network, or to a server without an address', async (t) => {
  const guarded = await serverFor(t, { args: ['--server-url', 'https://live.example'] });
  const ada = await register(guarded, 'ada');
  for (const authHost of ['https://127.0.0.1', 'https://localhost', 'https://[::1]:8080', 'https://10.0.0.1']) {
    assert.equal((await begin(guarded, ada, authHost)).status, 400, authHost);
  }
  const nameless = await serverFor(t);
  const bob = await register(nameless, 'bob');
  const refused = await begin(nameless, bob);
  assert.equal(refused.status, 400);
  assert.match(refused.answer.message, /public address/);
});

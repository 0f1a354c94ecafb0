// The peers of these tests believe a request only if it was signed: with the vectors of a known key, and by what they
// have to refuse.
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import {
  cavageString,
  contentDigestOf,
  digestOf,
  messageBase,
  Refused,
  seconds,
  signCavage,
  signMessage,
  strictParameters,
  verify,
} from './lib/signatures.mjs';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = publicKey.export({ type: 'spki', format: 'pem' });
const SIGNER = { keyId: 'https://remote.example/users/alice#main-key', key: privateKey };

/** A delivery to live.example, unsigned. */
function delivery(changes = {}) {
  const body = Buffer.from('{"type":"Follow"}');
  const headers = {
    host: 'live.example',
    date: new Date().toUTCString(),
    digest: digestOf(body),
    'content-digest': contentDigestOf(body),
    'content-type': 'application/activity+json',
  };
  return { method: 'POST', target: '/federation/user/live/inbox', body, headers, ...changes };
}

const signed = (scheme, habits) => {
  const request = delivery();
  scheme(request, SIGNER, habits);
  return request;
};
const hash = (text) => createHash('sha256').update(text).digest('hex');

test('the signed text is that of the known vectors', () => {
  const body = Buffer.from(
    '{"@context":"https://www.w3.org/ns/activitystreams","id":"https://remote.example/follows/1","type":"Follow",' +
      '"actor":"https://remote.example/users/alice","object":"https://live.example/federation/user/live"}',
  );
  assert.equal(digestOf(body), 'SHA-256=LJqJPG0ElKQeQ6WsMO2BJa9zD/Aiionq7VQq+u4runk=');
  const request = delivery({ body });
  request.headers.date = 'Tue, 18 Aug 2026 12:00:00 GMT';
  request.headers.digest = digestOf(body);
  request.headers['content-digest'] = contentDigestOf(body);
  const text = cavageString(request, ['(request-target)', 'host', 'date', 'digest']);
  assert.equal(hash(text), '37e42349438a9da131a0674bbd4f06670e8b9994b16d420034cd85828341966a');
  const params =
    '("@method" "@target-uri" "content-digest");created=1787054400;keyid="https://remote.example/users/alice#main-key"';
  const base = messageBase(request, ['@method', '@target-uri', 'content-digest'], params);
  assert.equal(hash(base), '4ca7faecc57bd61682d9d181870befb8604d049d21a28bf5dde3a00a419b066b');
});

test('what was signed is believed, by both schemes', () => {
  for (const scheme of [signCavage, signMessage]) verify(signed(scheme), PEM, { host: 'live.example' });
});

test('what was not signed like this is refused', () => {
  const cases = {
    'another body': (request) => {
      request.body = Buffer.from('{"type":"Delete"}');
    },
    'another body with its digest': (request) => {
      request.body = Buffer.from('{"type":"Delete"}');
      request.headers.digest = digestOf(request.body);
      request.headers['content-digest'] = contentDigestOf(request.body);
    },
    'another path': (request) => {
      request.target = '/federation/user/other/inbox';
    },
    'another method': (request) => {
      request.method = 'PUT';
    },
    'another host': (request) => {
      request.headers.host = 'other.example';
    },
    'no signature': (request) => {
      delete request.headers.signature;
    },
    'a signature that was shortened': (request) => {
      request.headers.signature = request.headers.signature.replace(/.{8}(:|")$/, '$1');
    },
  };
  for (const scheme of [signCavage, signMessage])
    for (const [name, change] of Object.entries(cases)) {
      const request = signed(scheme);
      change(request);
      assert.throws(() => verify(request, PEM, { host: 'live.example' }), Refused, `${scheme.name}: ${name}`);
    }
});

test('a key of somebody else, too little cover, an old date and an unknown algorithm are refused', () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' });
  const refused = (request, pem = PEM) => assert.throws(() => verify(request, pem, { host: 'live.example' }), Refused);
  for (const scheme of [signCavage, signMessage]) refused(signed(scheme), other);
  refused(signed(signCavage, { cover: ['(request-target)', 'host', 'date'] }));
  refused(signed(signCavage, { cover: ['host', 'date', 'digest'] }));
  refused(signed(signCavage, { algorithm: 'hs2019' }));
  refused(signed(signMessage, { created: seconds() - 7200 }));
  const old = delivery();
  old.headers.date = new Date(Date.now() - 7_200_000).toUTCString();
  signCavage(old, SIGNER);
  refused(old);
});

test('the strict reader of parameters takes no space and no repetition', () => {
  assert.deepEqual(strictParameters('keyId="a",created=1,signature="b"'), { keyId: 'a', created: '1', signature: 'b' });
  for (const header of ['keyId="a", signature="b"', 'keyId="a",keyId="b"', 'keyId=a', 'keyId="a",'])
    assert.throws(() => strictParameters(header), Refused, header);
});

// What the server tells directories about itself, judged by a validator of JSON schemas.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@cfworker/json-schema';
import { serverFor } from '../lib/server.mjs';
import { NODEINFO_2_0 } from './lib/nodeinfo.mjs';

const DRAFT = '4';
const validator = new Validator(NODEINFO_2_0, DRAFT, false);

async function read(server, path) {
  const response = await fetch(server.http + path);
  assert.equal(response.status, 200, path);
  return response.json();
}

test('the description of the server keeps to the schema of NodeInfo 2.0', async (t) => {
  const server = await serverFor(t, {
    args: ['--server-url', 'https://a.test', '--set', 'federation_enabled=true'],
  });
  const { links } = await read(server, '/.well-known/nodeinfo');
  const { href } = links.find(({ rel }) => rel === NODEINFO_2_0.id.replace('#', ''));
  const document = await read(server, new URL(href).pathname);
  const { valid, errors } = validator.validate(document);
  assert.ok(valid, JSON.stringify(errors, null, 2));

  // A check that cannot fail checks nothing.
  const { software, usage, metadata: _, ...rest } = document;
  for (const wrong of [
    rest,
    { ...document, also: 1 },
    { ...document, software: { ...software, name: 'Rillcast' } },
    { ...document, protocols: ['activitypub', 'carrierpigeon'] },
    { ...document, usage: { ...usage, localPosts: -1 } },
    { ...document, usage: { ...usage, users: { total: '1' } } },
    { ...document, services: { inbound: ['activitypub'], outbound: [] } },
  ])
    assert.equal(validator.validate(wrong).valid, false, JSON.stringify(wrong));
});

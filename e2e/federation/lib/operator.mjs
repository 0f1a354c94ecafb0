// What the operator does about the Fediverse in the admin pages, by the calls those pages make.
import assert from 'node:assert/strict';
import { PASSWORD } from '../../lib/admin.mjs';
import { eventually } from '../../lib/eventually.mjs';

/** A delivery waits for a key to be fetched, a signature and an answer. */
export const ARRIVAL_MS = 30_000;

/** Whether nothing is on its way any more. */
export const isSettled = (deliveries) => deliveries.every(({ state }) => state === 'delivered' || state === 'failed');

export function operatorOf(server) {
  const authorization = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
  const read = async (method, path, document) => {
    const response = await fetch(server.http + path, {
      method,
      headers: { Authorization: authorization, 'Content-Type': 'application/json' },
      body: document === undefined ? undefined : JSON.stringify(document),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path} was answered with ${response.status}: ${text.slice(0, 300)}`);
    return text;
  };
  const ask = async (...question) => {
    const text = await read(...question);
    return text === '' ? null : JSON.parse(text);
  };
  const operator = {
    ask,
    read: (path) => read('GET', path),
    set: (path, value) => ask('POST', `/api/admin/config/${path}`, { value }),
    followers: async () => (await ask('GET', '/api/admin/followers')).results,
    pending: () => ask('GET', '/api/admin/followers/pending'),
    directories: () => ask('GET', '/api/admin/followers/directory'),
    featureRequests: async () => (await ask('GET', '/api/admin/federation/feature-requests')).requests,
    approve: (actorIRI, approved = true) => ask('POST', '/api/admin/followers/approve', { actorIRI, approved }),
    posts: async () => (await ask('GET', '/api/admin/federation/posts')).results,
    post: (value) => ask('POST', '/api/admin/federation/send', { value }),
    actions: async () => (await ask('GET', '/api/admin/federation/actions?limit=100')).results,
    inboundPosts: async () => (await ask('GET', '/api/admin/federation/inbox')).results,
    deliveries: async () => (await ask('GET', '/api/admin/federation/deliveries')).results,
    quotes: async () => (await ask('GET', '/api/admin/federation/quotes')).results,
    removeFollower: (actorIRI) => ask('POST', '/api/admin/followers/remove', { actorIRI }),
    feature: (url) => ask('POST', '/api/admin/federation/servers', { url }),
    unfeature: (id) => ask('DELETE', `/api/admin/federation/servers/${id}`),
    servers: async () => (await ask('GET', '/api/admin/federation/servers')).servers,

    /** Waits until `wanted` holds for what `question` (a name of the above) answers, and returns that. */
    until: (question, wanted, { deadlineMs = ARRIVAL_MS } = {}) =>
      eventually(
        async () => {
          const answer = await operator[question]();
          if (!wanted(answer)) throw new Error(`${server.host}: ${question} stays ${JSON.stringify(answer)}`);
          return answer;
        },
        { deadlineMs },
      ),
    /** Waits until an action of `type` by `actorIRI` is in the log. */
    untilAction: (type, actorIRI) =>
      operator.until('actions', (all) => all.some((one) => one.type === type && one.actorIRI === actorIRI)),
  };
  return operator;
}

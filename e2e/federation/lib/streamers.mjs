// Scripted servers of the stream kind: a directory that lists streams, and another program's server that can be listed.
// Both read and write the metadata under the namespace such servers have always used.
import { mastodon } from './habits.mjs';
import { AS } from './peer.mjs';
import { Refused, signCavage } from './signatures.mjs';

/** The namespace existing directories and servers understand. */
export const KNOWN = 'https://owncast.online/ns#';

const need = (condition, reason) => {
  if (!condition) throw new Refused(reason);
};

/** What such servers insist on, beyond what all do. */
export const streamer = {
  ...mastodon,
  kind: 'a stream server',
  hasSharedInbox: false,
  agent: '0.3.0; https://streamer.test',
  actorOf: (base, name) => `${base}/federation/user/${name}`,
  required: ['(request-target)', 'host', 'date'],
  sign: (request, signer) => signCavage(request, signer),
  actorExtras: () => ({ type: 'Service', summary: 'A server of another kind' }),
  checkDelivery: (_peer, _request, activity) => need(typeof activity.actor === 'string', 'an actor that is no string'),
};

/** What the activity says under the known namespace, without it. */
export function metadataOf(activity, namespace = KNOWN) {
  const own = Object.entries(activity).filter(([key]) => key.startsWith(namespace));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(namespace.length), value]));
}

/** The same the other way round. */
export function withMetadata(metadata, namespace = KNOWN) {
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [namespace + key, value]));
}

/** What makes a peer something that can be featured. */
export function describe(peer, { software = 'owncast', featured = 1 } = {}) {
  const rel = 'http://nodeinfo.diaspora.software/ns/schema/2.0';
  const href = `${peer.base}/nodeinfo/2.0`;
  peer.plain = {
    '/.well-known/nodeinfo': { links: [{ rel, href }] },
    '/nodeinfo/2.0': {
      version: '2.0',
      software: { name: software, version: '0.3.0' },
      protocols: ['activitypub'],
      services: { inbound: [], outbound: [] },
      usage: { users: { total: 1 }, localPosts: 0 },
      openRegistrations: false,
      metadata: { chat_enabled: true, federation: { username: peer.name, featured_streams: featured } },
    },
  };
}

/** An activity of a stream server, plain and with its metadata. */
export const tell = (peer, type, object, metadata, namespace) => ({
  '@context': AS,
  id: peer.mint('federation'),
  type,
  actor: peer.id,
  object,
  ...withMetadata(metadata, namespace),
});

// How kinds of servers sign, read, answer and write: what was seen of them, kept small.
// `refusal` is the status for a bad signature; `check…` throw what that kind would not take.
import { Refused, seconds, signCavage, signMessage } from './signatures.mjs';

const AP_TYPES = 'application/activity+json, application/ld+json';
const hostOf = (iri) => new URL(iri).host;
const need = (condition, reason) => {
  if (!condition) throw new Refused(reason);
};
const isActivityType = (type) =>
  need(
    /^application\/(activity\+json\b|ld\+json; *profile="https:\/\/www\.w3\.org\/ns\/activitystreams")/i.test(type),
    `type ${type}`,
  );

/** What all kinds read in an actor. */
function checkEveryActor(actor) {
  for (const name of ['id', 'inbox', 'preferredUsername']) need(typeof actor[name] === 'string', `no ${name}`);
  const { publicKey } = actor;
  for (const name of ['id', 'owner', 'publicKeyPem']) need(typeof publicKey?.[name] === 'string', `no key's ${name}`);
  need(publicKey.owner === actor.id, 'the key is of somebody else');
  need(['Person', 'Service', 'Application', 'Group', 'Organization'].includes(actor.type), `a ${actor.type}`);
}

const webfingerUrl = async (_peer, host) => `https://${host}/.well-known/webfinger?resource={uri}`;

const common = {
  accept: AP_TYPES,
  webfingerAccept: 'application/jrd+json, application/json',
  webfingerOf: webfingerUrl,
  actorOf: (base, name) => `${base}/users/${name}`,
  keyOf: (actor) => `${actor}#main-key`,
  sign: signCavage,
  checkType: isActivityType,
  checkActor: checkEveryActor,
  refusal: 401,
};

export const mastodon = {
  ...common,
  kind: 'Mastodon',
  agent: 'Mastodon/4.5.0 (http.rb/5.3.1; +https://mastodon.test/)',
  hasSharedInbox: true,
  sign: (request, signer) => {
    const cover = ['(request-target)', 'host', 'date', ...(request.body ? ['digest', 'content-type'] : [])];
    signCavage(request, signer, { cover });
  },
  checkActor: (actor) => {
    checkEveryActor(actor);
    need(/^[a-z0-9_]+([.-]+[a-z0-9_]+)*$/i.test(actor.preferredUsername), `called ${actor.preferredUsername}`);
  },
};

export const gotosocial = {
  ...common,
  kind: 'GoToSocial',
  agent: 'gotosocial/0.20.0 (+https://gotosocial.test)',
  accept: 'application/activity+json,application/ld+json;profile="https://www.w3.org/ns/activitystreams"',
  wantsSignedGets: true,
  keepsKeys: true,
  keyOf: (actor) => `${actor}/main-key`,
  sign: (request, signer) => signCavage(request, signer, { algorithm: 'hs2019' }),
  /** The key has a document of its own: an actor without an inbox. */
  documentAt: (peer, url) =>
    url === peer.keyId && {
      '@context': ['https://www.w3.org/ns/activitystreams', 'https://w3id.org/security/v1'],
      id: peer.id,
      type: 'Person',
      preferredUsername: peer.name,
      publicKey: { id: peer.keyId, owner: peer.id, publicKeyPem: peer.publicPem },
    },
  checkDelivery: (_peer, { headers }) =>
    need(
      /^application\/(activity\+json(; charset=utf-8)?$|ld\+json; ?profile=)/i.test(headers['content-type']),
      'type',
    ),
};

export const misskey = {
  ...common,
  kind: 'Misskey',
  agent: 'Misskey/2026.7.0 (https://misskey.test)',
  hasSharedInbox: true,
  actorOf: (base) => `${base}/users/9f0000000a`,
  sign: (request, signer) => {
    const cover = request.body
      ? ['(request-target)', 'date', 'host', 'digest']
      : ['(request-target)', 'date', 'host', 'accept'];
    signCavage(request, signer, { cover, bare: true });
  },
  checkActor: (actor) => {
    checkEveryActor(actor);
    for (const iri of [actor.inbox, actor.outbox, actor.followers, actor.publicKey.id, actor.url])
      need(hostOf(iri) === hostOf(actor.id), `${iri} is elsewhere`);
    need(/^\w([\w\-.]*\w)?$/.test(actor.preferredUsername) && actor.preferredUsername.length <= 128, 'its name');
    for (const name of ['name', 'summary'])
      need(actor[name] === undefined || (typeof actor[name] === 'string' && actor[name] !== ''), `its ${name}`);
  },
  checkDelivery: (_peer, _request, activity) => need(typeof activity.actor === 'string', 'an actor that is no string'),
};

export const pleroma = {
  ...common,
  kind: 'Pleroma',
  agent: 'Pleroma 2.9.0; https://pleroma.test <admin@pleroma.test>',
  hasSharedInbox: true,
  refusal: 400,
  taken: 200,
  webfingerAccept: 'application/xrd+xml,application/jrd+json',
  /** It asks where WebFinger is before it asks WebFinger. */
  webfingerOf: async (peer, host) => {
    const { exchange } = await import('./peer.mjs');
    const answer = await exchange(`https://${host}/.well-known/host-meta`, { method: 'GET', headers: { host } });
    need(answer.status === 200, `host-meta was answered with ${answer.status}`);
    const [, template] = /<Link [^>]*rel="lrdd"[^>]*template="([^"]+)"/.exec(answer.text) ?? [];
    need(template?.includes('{uri}'), `${peer.host} finds no template in ${answer.text}`);
    return template.replaceAll('&amp;', '&');
  },
  sign: (request, signer) => {
    const cover = request.body
      ? ['(request-target)', 'content-length', 'date', 'digest', 'host']
      : ['(request-target)', 'date', 'host'];
    signCavage(request, signer, { cover });
  },
  /** A personal inbox takes what is addressed to its owner, or comes from somebody the owner follows. */
  checkDelivery: (peer, request, activity) => {
    const addressed = [activity.to, activity.cc].flat().filter(Boolean);
    const isPersonal = request.target === new URL(`${peer.id}/inbox`).pathname;
    const isForOwner = addressed.length === 0 || addressed.includes(peer.id) || peer.follows === activity.actor;
    need(!isPersonal || isForOwner, `${activity.type} is not for ${peer.id}`);
  },
};

export const peertube = {
  ...common,
  kind: 'PeerTube',
  agent: 'PeerTube/7.3.0 (+https://peertube.test)',
  refusal: 403,
  taken: 204,
  skewS: 1800,
  actorOf: (base, name) => `${base}/accounts/${name}`,
  // The library it uses writes the scheme in front, as if this were the header `Authorization`.
  sign: (request, signer) => signCavage(request, signer, { prefix: 'Signature ' }),
  checkActor: (actor) => {
    checkEveryActor(actor);
    need(/^[A-Za-z0-9\-_.:]+$/.test(actor.preferredUsername), `called ${actor.preferredUsername}`);
    need(actor.publicKey.publicKeyPem.startsWith('-----BEGIN PUBLIC KEY-----'), 'a key in another form');
  },
};

export const lemmy = {
  ...common,
  kind: 'Lemmy',
  agent: 'Lemmy/1.0.0; +https://lemmy.test',
  refusal: 400,
  taken: 200,
  hasSharedInbox: true,
  actorOf: (base, name) => `${base}/u/${name}`,
  accept: 'application/activity+json',
  sign: (request, signer) => {
    const cover = [
      '(request-target)',
      ...(request.body ? ['content-type', 'date', 'digest', 'host'] : ['date', 'host']),
    ];
    signCavage(request, signer, { cover, algorithm: 'hs2019' });
  },
  checkType: (type) =>
    need(
      [
        'application/activity+json',
        'application/activity+json; charset=utf-8',
        'application/ld+json; profile="https://www.w3.org/ns/activitystreams"',
      ].includes(type.toLowerCase()),
      `type ${type}`,
    ),
  checkActor: (actor) => {
    checkEveryActor(actor);
    need(actor.publicKey.id.includes('#'), 'a key without a fragment');
  },
};

/** Servers built with the same library as Lemmy sign with times of their own. */
export const lemmyLibrary = {
  ...lemmy,
  kind: 'a server with the library of Lemmy',
  sign: (request, signer) => {
    const cover = ['(request-target)', '(created)', '(expires)', ...(request.body ? ['digest', 'host'] : ['host'])];
    signCavage(request, signer, { cover, algorithm: 'hs2019', created: seconds(), expires: seconds() + 300 });
  },
};

export const mitra = {
  ...common,
  kind: 'Mitra',
  agent: 'Mitra/4.11.0; https://mitra.test',
  refusal: 403,
  skewS: 43_200,
  sign: (request, signer) => signMessage(request, signer),
  checkActor: (actor) => {
    checkEveryActor(actor);
    need(hostOf(actor.inbox) === hostOf(actor.id), 'an inbox elsewhere');
  },
};

/** It answers before it looks, and drops what it does not believe. */
export const snac = {
  ...common,
  kind: 'snac',
  agent: 'snac/2.94; +https://snac.test',
  keepsKeys: true,
  hasSharedInbox: true,
  refusal: 202,
  sign: (request, signer) => {
    const cover = ['(request-target)', 'host', ...(request.body ? ['digest', 'date'] : ['date'])];
    signCavage(request, signer, { cover });
  },
};

/** It checks the parameters of a request by a schema before it looks at the signature. */
export const wordpress = {
  ...common,
  kind: 'WordPress',
  agent: 'WordPress/6.8; https://wordpress.test; ActivityPub/4.0.0',
  checkParameters: ({ type, object }) => {
    if (type === 'Create') need('inReplyTo' in object, 'Invalid parameter(s): object');
  },
};

/** A server that has left the old draft behind. */
export const modern = {
  ...mastodon,
  kind: 'a modern server',
  sign: (request, signer) => signMessage(request, signer),
  checkScheme: (scheme) => need(scheme === 'rfc9421', `signed by ${scheme}`),
};

export const KINDS = [mastodon, gotosocial, misskey, pleroma, peertube, lemmy, lemmyLibrary, mitra, snac, wordpress];

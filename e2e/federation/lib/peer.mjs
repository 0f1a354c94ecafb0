// A scripted peer: one account on a server of its own that looks others up, reads their documents, believes only what is
// signed, and writes, all in the manner of one kind of server (habits.mjs).
import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { request as httpsRequest } from 'node:https';
import { eventually } from '../../lib/eventually.mjs';
import { ARRIVAL_MS } from './operator.mjs';
import { claimOf, contentDigestOf, digestOf, Refused, verify } from './signatures.mjs';

export const AS = 'https://www.w3.org/ns/activitystreams';
export const PUBLIC = `${AS}#Public`;
const MAX_BODY = 1024 * 1024;

const hostOf = (iri) => new URL(iri).host;
export const idOf = (thing) => (typeof thing === 'string' ? thing : thing?.id);
export const listOf = (thing) => (thing === undefined || thing === null ? [] : [thing].flat());

/** `{ status, headers, text, url }`; headers go out exactly as given, which fetch would not do. */
export function exchange(url, { method, headers, body }) {
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(url, { method, headers, agent: false, setHost: false }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(parts).toString(), url }),
      );
      response.on('error', reject);
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

export class Peer {
  /** At `host` of a world; see `peerFor`. */
  constructor(host, habits, name = 'alice') {
    this.host = host;
    this.habits = habits;
    this.name = name;
    this.base = `https://${host}`;
    Object.assign(this, lentKeys());
    this.id = habits.actorOf(this.base, name);
    this.keyId = habits.keyOf(this.id);
    /** What was believed, what was not, and every request, oldest first. */
    this.received = [];
    this.refused = [];
    this.requests = [];
    /** Statuses for the next deliveries, whatever they hold; `[503]` fails one. */
    this.mood = [];
    /** Documents beside the actor, by path, and such that are no ActivityPub. */
    this.documents = new Map();
    this.plain = {};
    this.isGone = false;
    /** Keys of others by their ids, for kinds that never ask again for one they know. */
    this.keys = new Map();
  }

  // --- what others see ---------------------------------------------------------------------------------------------

  actorDocument() {
    const { id, base } = this;
    return {
      '@context': [AS, 'https://w3id.org/security/v1'],
      id,
      type: 'Person',
      preferredUsername: this.name,
      name: `${this.name} of ${this.host}`,
      url: `${base}/@${this.name}`,
      inbox: `${id}/inbox`,
      outbox: `${id}/outbox`,
      followers: `${id}/followers`,
      icon: { type: 'Image', mediaType: 'image/png', url: `${base}/avatars/${this.name}.png` },
      publicKey: { id: this.keyId, owner: id, publicKeyPem: this.publicPem },
      ...(this.habits.hasSharedInbox && { endpoints: { sharedInbox: `${base}/inbox` } }),
      ...this.habits.actorExtras?.(this),
    };
  }

  async answer(incoming, response) {
    const body = await read(incoming);
    const request = { method: incoming.method, target: incoming.url, headers: incoming.headers, body };
    this.requests.push(request);
    const respond = (status, document, type = 'application/activity+json; charset=utf-8') => {
      response.writeHead(status, document === undefined ? {} : { 'Content-Type': type });
      response.end(document === undefined ? undefined : JSON.stringify(document));
    };
    const { pathname } = new URL(incoming.url, this.base);
    if (incoming.method === 'POST') return respond(await this.take(request));
    if (this.isGone) return respond(410, { error: 'gone' }, 'application/json');
    if (pathname === '/.well-known/webfinger') return respond(200, this.webfinger(), 'application/jrd+json');
    if (pathname in this.plain) return respond(200, this.plain[pathname], 'application/json');
    const document = this.documentAt(pathname);
    if (!document) return respond(404, { error: 'not found' }, 'application/json');
    if (this.habits.wantsSignedGets && !(await this.isSignedGet(request)))
      return respond(401, { error: 'unsigned' }, 'application/json');
    return respond(200, document);
  }

  documentAt(path) {
    const url = `${this.base}${path}`;
    if (url === this.id) return this.actorDocument();
    return this.documents.get(path) ?? this.habits.documentAt?.(this, url);
  }

  webfinger() {
    const links = [{ rel: 'self', type: 'application/activity+json', href: this.id }];
    return { subject: `acct:${this.name}@${this.host}`, aliases: [this.id], links };
  }

  async isSignedGet(request) {
    try {
      await this.believe(request, undefined, ['(request-target)', 'host', 'date']);
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.refused.push({ request, reason: error.message });
      return false;
    }
  }

  // --- what arrives ------------------------------------------------------------------------------------------------

  /** The status for a delivery. */
  async take(request) {
    const ill = this.mood.shift();
    if (ill) return ill;
    try {
      const activity = JSON.parse(request.body.toString());
      try {
        this.habits.checkParameters?.(activity);
      } catch (error) {
        this.refused.push({ request, reason: error.message });
        return 400;
      }
      await this.believe(request, activity, this.habits.required ?? ['(request-target)', 'host', 'date']);
      assertWellFormed(activity);
      this.habits.checkDelivery?.(this, request, activity);
      this.received.push({ request, activity });
      if (activity.type === 'Update') this.keep(activity.object.publicKey);
      return this.habits.taken ?? 202;
    } catch (error) {
      this.refused.push({ request, reason: error.message });
      return error instanceof Refused ? this.habits.refusal : 422;
    }
  }

  /** Throws unless `request` was signed by the actor of `activity`. The key is fetched as this kind of server does it. */
  async believe(request, activity, required) {
    const { keyId, scheme } = claimOf(request.headers);
    this.habits.checkScheme?.(scheme);
    const key = this.keys.get(keyId) ?? (await this.readKey(keyId));
    this.keep(key);
    if (activity && activity.actor !== key.owner) throw new Refused(`${key.owner} signed for ${activity.actor}`);
    verify(request, key.publicKeyPem, { host: this.host, required, skewS: this.habits.skewS ?? 3600 });
  }

  async readKey(keyId) {
    const document = await this.read(keyId.split('#')[0]).catch((error) => {
      // Without the key nobody can tell whether a signature is good, and all kinds answer as if it were bad.
      throw error instanceof Refused ? error : new Refused(`${keyId} cannot be asked for: ${error.message}`);
    });
    const key = listOf(document.publicKey).find(({ id }) => id === keyId);
    if (!key) throw new Refused(`${keyId} is not in the document`);
    if (key.owner !== document.id) throw new Refused(`the key belongs to ${key.owner}`);
    return key;
  }

  /** Whoever keeps keys changes one only when it is told to, by somebody it believes. */
  keep(key) {
    if (this.habits.keepsKeys && key?.id) this.keys.set(key.id, key);
  }

  /** Waits for an activity of `type` that meets `wanted`; the first of them. */
  async hears(type, wanted = () => true, { deadlineMs = ARRIVAL_MS } = {}) {
    return eventually(
      () => {
        const found = this.received.find(({ activity }) => activity.type === type && wanted(activity));
        if (found) return found.activity;
        const heard = this.received.map(({ activity }) => activity.type).join(', ');
        const not = this.refused
          .map(({ request, reason }) => `${request.method} ${request.target}: ${reason}`)
          .join('; ');
        throw new Error(`${this.host} hears no ${type}, only [${heard}] and refused [${not}]`);
      },
      { deadlineMs },
    );
  }

  // --- what it asks and says ---------------------------------------------------------------------------------------

  /** A document of somebody else, signed and checked for its type and its own address, as all kinds do. */
  async read(url, { accept = this.habits.accept } = {}) {
    const answer = await this.fetch(url, { accept });
    if (answer.status !== 200) throw new Refused(`${url} was answered with ${answer.status}`);
    this.habits.checkType(answer.headers['content-type'] ?? '');
    const document = JSON.parse(answer.text);
    if (document.id !== url) throw new Refused(`${url} calls itself ${document.id}`);
    if (!listOf(document['@context']).includes(AS)) throw new Refused(`${url} has no context of ActivityStreams`);
    return document;
  }

  fetch(url, { accept }) {
    const { pathname, search, host } = new URL(url);
    const request = {
      method: 'GET',
      target: pathname + search,
      headers: { host, date: new Date().toUTCString(), accept },
    };
    request.headers['user-agent'] = this.habits.agent;
    this.habits.sign(request, { keyId: this.keyId, key: this.key });
    return exchange(url, request);
  }

  /** From `user@host` to the actor, by the steps of this kind. */
  async lookUp(account) {
    const [, host] = account.split('@');
    const template = await this.habits.webfingerOf(this, host);
    const url = template.replace('{uri}', encodeURIComponent(`acct:${account}`));
    const answer = await exchange(url, { method: 'GET', headers: { host, accept: this.habits.webfingerAccept } });
    if (answer.status !== 200) throw new Refused(`${url} was answered with ${answer.status}`);
    const { subject, links } = JSON.parse(answer.text);
    if (subject !== `acct:${account}`) throw new Refused(`${account} is called ${subject}`);
    const isSelf = ({ rel, type }) => rel === 'self' && /^application\/(activity\+json|ld\+json; profile=)/.test(type);
    const self = links.find(isSelf)?.href;
    if (!self) throw new Refused(`${account} has no actor`);
    const actor = await this.read(self);
    this.habits.checkActor(actor);
    return actor;
  }

  /** Delivers; the answer must be 202 unless `status` says otherwise: another one, or several. */
  async send(activity, { to, status = 202, signer, sign = this.habits.sign, change = () => {} }) {
    const body = Buffer.from(JSON.stringify(activity));
    const { pathname, host } = new URL(to);
    const headers = {
      host,
      date: new Date().toUTCString(),
      'content-type': this.habits.contentType ?? 'application/activity+json',
      'content-length': String(body.length),
      'user-agent': this.habits.agent,
      digest: digestOf(body),
      'content-digest': contentDigestOf(body),
    };
    const request = { method: 'POST', target: pathname, headers, body };
    sign(request, signer ?? { keyId: this.keyId, key: this.key });
    if (request.headers['signature-input']) delete headers.digest;
    else delete headers['content-digest'];
    change(request);
    const answer = await exchange(to, request);
    const isExpected = [status].flat().includes(answer.status);
    assert.ok(isExpected, `${activity.type} was answered with ${answer.status} instead of ${status}: ${answer.text}`);
    return activity;
  }

  /** A fresh address on this server. */
  mint(path = 'activities') {
    return `${this.base}/${path}/${randomUUID()}`;
  }
}

/** Making a pair takes a good part of a second: a file with many servers has a few, and neighbours have different ones. */
const LENT_PAIRS = 3;
const lent = [];

function lentKeys() {
  if (lent.length < LENT_PAIRS) lent.push(peerKeys());
  else lent.push(lent.shift());
  return lent.at(-1);
}

/** A pair of its own: `{ key, publicPem }`. */
export function peerKeys() {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { key: privateKey, publicPem: publicKey.export({ type: 'spki', format: 'pem' }) };
}

/** What every kind wants of an activity. */
export function assertWellFormed(activity) {
  if (typeof activity.id !== 'string' || hostOf(activity.id) !== hostOf(activity.actor))
    throw new Refused(`the id ${activity.id} is not on the host of ${activity.actor}`);
  if (!listOf(activity['@context']).includes(AS))
    throw new Refused(`${activity.type} has no context of ActivityStreams`);
}

function read(incoming) {
  return new Promise((resolve, reject) => {
    const parts = [];
    let size = 0;
    incoming.on('data', (part) => {
      size += part.length;
      if (size > MAX_BODY) incoming.destroy();
      parts.push(part);
    });
    incoming.on('end', () => resolve(Buffer.concat(parts)));
    incoming.on('error', reject);
  });
}

/** Changes a request after it was signed, and nothing else about it. */
export function alter(request) {
  request.body = Buffer.from(request.body.toString().replace('Follow', 'Fallow'));
}

/** A peer of some kind at `host`, until the world ends. */
export async function peerFor(world, host, habits, name) {
  const peer = new Peer(host, habits, name);
  await world.serve(host, (incoming, response) => {
    peer.answer(incoming, response).catch((error) => {
      peer.refused.push({ request: { method: incoming.method, target: incoming.url }, reason: error.stack });
      response.writeHead(500).end();
    });
  });
  return peer;
}

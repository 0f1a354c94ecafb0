// HTTP signatures as the peers of a test make and check them, by Node's own crypto: the old draft (cavage) and RFC 9421.
// Nothing here is shared with the server, so that both cannot be wrong in the same way.
import { createHash, createSign, createVerify, timingSafeEqual } from 'node:crypto';

const sha256 = (body) => createHash('sha256').update(body).digest('base64');
export const digestOf = (body) => `SHA-256=${sha256(body)}`;
export const contentDigestOf = (body) => `sha-256=:${sha256(body)}:`;

/** The first line of both: `post /inbox`, with the query unless `bare`. */
function requestTarget({ method, target }, bare) {
  return `${method.toLowerCase()} ${bare ? target.split('?')[0] : target}`;
}

/** What the old draft signs, of a request `{ method, target, headers, body }` with names in lower case. */
export function cavageString(request, names, { created, expires, bare = false } = {}) {
  const valueFor = (name) => {
    if (name === '(request-target)') return requestTarget(request, bare);
    if (name === '(created)') return String(created);
    if (name === '(expires)') return String(expires);
    const value = request.headers[name];
    if (value === undefined) throw new Error(`${name} is signed and is not there`);
    return String(value).trim();
  };
  return names.map((name) => `${name}: ${valueFor(name)}`).join('\n');
}

/** What RFC 9421 signs; `params` is the text after `label=`. */
export function messageBase(request, names, params) {
  const { host } = request.headers;
  const [path, query] = request.target.split('?');
  const derived = {
    '@method': request.method.toUpperCase(),
    '@target-uri': `https://${host}${request.target}`,
    '@authority': host,
    '@scheme': 'https',
    '@path': path,
    '@query': `?${query ?? ''}`,
    '@request-target': request.target,
  };
  const lines = names.map((name) => {
    const value = derived[name] ?? request.headers[name];
    if (value === undefined) throw new Error(`${name} is signed and is not there`);
    return `"${name}": ${String(value).trim()}`;
  });
  return [...lines, `"@signature-params": ${params}`].join('\n');
}

const sign = (text, key, hash = 'RSA-SHA256') => createSign(hash).update(text).sign(key, 'base64');

/**
 * Adds a signature of the old draft to a request's headers.
 * @param {{algorithm?: string, cover?: string[], bare?: boolean, between?: string, prefix?: string, created?: number,
 *   expires?: number, hash?: string}} habits how the sender writes it; `between` goes between parameters.
 */
export function signCavage(request, { keyId, key }, habits = {}) {
  const { algorithm = 'rsa-sha256', bare = false, between = ',', prefix = '', created, expires } = habits;
  const cover = habits.cover ?? ['(request-target)', 'host', 'date', ...(request.body ? ['digest'] : [])];
  const signature = sign(cavageString(request, cover, { created, expires, bare }), key, habits.hash);
  const parameters = [
    `keyId="${keyId}"`,
    ...(algorithm ? [`algorithm="${algorithm}"`] : []),
    ...(created === undefined ? [] : [`created=${created}`, `expires=${expires}`]),
    `headers="${cover.join(' ')}"`,
    `signature="${signature}"`,
  ];
  request.headers.signature = prefix + parameters.join(between);
}

/** Adds a signature by RFC 9421. */
export function signMessage(request, { keyId, key }, { label = 'sig1', created = seconds(), extra = '' } = {}) {
  const names = ['@method', '@target-uri', ...(request.body ? ['content-digest'] : [])];
  const params = `(${names.map((name) => `"${name}"`).join(' ')});created=${created};keyid="${keyId}"${extra}`;
  request.headers['signature-input'] = `${label}=${params}`;
  request.headers.signature = `${label}=:${sign(messageBase(request, names, params), key)}:`;
}

export const seconds = () => Math.floor(Date.now() / 1000);

/**
 * The parameters of a cavage header as the strictest reader takes them: split at commas, no space around a name,
 * every value quoted or a number.
 */
export function strictParameters(header) {
  const found = {};
  for (const part of header.split(',')) {
    const match = /^([A-Za-z]+)=(?:"([^"]*)"|(\d+))$/.exec(part);
    if (!match) throw new Refused(`${JSON.stringify(part)} is no parameter of a signature`);
    if (match[1] in found) throw new Refused(`${match[1]} is there twice`);
    found[match[1]] = match[2] ?? match[3];
  }
  return found;
}

/** Why a request was not believed. */
export class Refused extends Error {}

/** Which key a request says it was signed with, and by which scheme. */
export function claimOf(headers) {
  if (headers['signature-input']) {
    const [, label, params] = /^([a-z0-9]+)=(\(.*)$/.exec(headers['signature-input']) ?? [];
    const keyId = /;keyid="([^"]+)"/.exec(params ?? '')?.[1];
    if (!keyId) throw new Refused('no keyid in signature-input');
    return { scheme: 'rfc9421', keyId, label, params };
  }
  if (!headers.signature) throw new Refused('not signed');
  const parameters = strictParameters(headers.signature);
  if (!parameters.keyId || !parameters.signature) throw new Refused('no keyId or no signature');
  return { scheme: 'cavage', keyId: parameters.keyId, parameters };
}

/**
 * Throws `Refused` unless the request was signed with the key `pem`, covers `required`, was sent to `host` and has the
 * digest of its body. `skewS` is how old it may be.
 */
export function verify(request, pem, { host, required = ['(request-target)', 'host', 'date'], skewS = 3600 }) {
  const { headers, body } = request;
  const isPost = request.method === 'POST';
  if (headers.host !== host) throw new Refused(`sent to ${headers.host} instead of ${host}`);
  const claim = claimOf(headers);
  if (claim.scheme === 'rfc9421') return verifyMessage(request, pem, claim, skewS);
  const names = (claim.parameters.headers ?? 'date').split(' ');
  for (const name of [...required, ...(isPost ? ['digest'] : [])])
    if (!names.includes(name)) throw new Refused(`${name} is not covered`);
  if (claim.parameters.algorithm !== 'rsa-sha256') throw new Refused(`algorithm ${claim.parameters.algorithm}`);
  if (isPost && headers.digest !== digestOf(body)) throw new Refused(`the digest is ${headers.digest}`);
  const age = Math.abs(Date.now() - Date.parse(headers.date)) / 1000;
  if (!(age <= skewS)) throw new Refused(`the date is ${headers.date}`);
  check(cavageString(request, names), claim.parameters.signature, pem);
}

function verifyMessage(request, pem, { label, params }, skewS) {
  const [, list] = /^\(([^)]*)\)/.exec(params) ?? [];
  const names = [...(list ?? '').matchAll(/"([^"]+)"/g)].map(([, name]) => name);
  const wanted = ['@method', '@target-uri', ...(request.method === 'POST' ? ['content-digest'] : [])];
  for (const name of wanted) if (!names.includes(name)) throw new Refused(`${name} is not covered`);
  const created = Number(/;created=(\d+)/.exec(params)?.[1]);
  if (!(Math.abs(seconds() - created) <= skewS)) throw new Refused(`created ${created}`);
  if (wanted.includes('content-digest') && request.headers['content-digest'] !== contentDigestOf(request.body))
    throw new Refused(`the digest is ${request.headers['content-digest']}`);
  const [, signature] = new RegExp(`(?:^|, *)${label}=:([^:]+):`).exec(request.headers.signature ?? '') ?? [];
  if (!signature) throw new Refused(`no signature is called ${label}`);
  check(messageBase(request, names, params), signature, pem);
}

function check(text, signature, pem) {
  const bytes = Buffer.from(signature, 'base64');
  // Written as a decoder that forgives nothing would want it.
  const again = Buffer.from(bytes.toString('base64'));
  const isCanonical = again.length === signature.length && timingSafeEqual(again, Buffer.from(signature));
  if (!isCanonical) throw new Refused('the signature is no base64');
  if (!createVerify('RSA-SHA256').update(text).verify(pem, bytes)) throw new Refused('the signature is wrong');
}

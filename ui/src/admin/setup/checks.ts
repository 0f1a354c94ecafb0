/** Whether viewers can reach the server at its public address, as far as a browser can tell; and what to do if not. */
import { api } from '../../api.ts';
import type { AdminKey } from '../../i18n/admin.ts';

export type Verdict = 'good' | 'warning' | 'bad';

export interface Finding {
  verdict: Verdict;
  text: AdminKey;
  /** What to do about it. */
  advice?: AdminKey;
  params?: Record<string, string>;
}

export type CheckName = 'address' | 'encryption' | 'socket';

/** The server's own look at its public address. */
export interface AddressCheck {
  outcome: 'reached' | 'another' | 'silent' | 'unasked' | 'unset';
  /** Why nothing answered; empty otherwise. */
  reason: string;
}

/** What a check may do on the network. */
export interface Probes {
  /** Whether a WebSocket to this address opens. */
  opensSocket: (url: string) => Promise<boolean>;
  /** Whether a picture of this address loads. */
  loadsPicture: (url: string) => Promise<boolean>;
  /** What the server finds at the server URL; undefined where it could not be asked. */
  asksServer: () => Promise<AddressCheck | undefined>;
}

/** Long enough for a slow line, short enough to wait for. */
const PATIENCE_MS = 8_000;

export type Place = Pick<Location, 'origin' | 'protocol' | 'host' | 'hostname'>;

/** A name or address that means something on this machine or in this network only. */
export function isLocalHost(hostname: string): boolean {
  const isAddress = /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\./.test(hostname);
  const isOwn = hostname === '[::1]' || /^\[f[cde]/i.test(hostname);
  const isLocalName = !hostname.includes('.') && !hostname.startsWith('[');
  return isAddress || isOwn || isLocalName || /\.(local|lan|internal|localhost|home\.arpa)$/.test(hostname);
}

/** A name or address of this very machine, which leads every other device to itself. */
export function isThisMachine(hostname: string): boolean {
  return (
    /^127\./.test(hostname) || ['localhost', '[::1]', '0.0.0.0'].includes(hostname) || /\.localhost$/.test(hostname)
  );
}

/** The address viewers use: the one that is set, or where this page is. */
export function publicAddress(serverUrl: string, place: Pick<Place, 'origin'>): URL {
  return URL.canParse(serverUrl) ? new URL(serverUrl) : new URL(place.origin);
}

/** The address compared with where this page is, and asked for where they differ. */
export async function checkAddress(serverUrl: string, place: Place, probes: Probes): Promise<Finding> {
  if (!URL.canParse(serverUrl)) {
    return isLocalHost(place.hostname)
      ? { verdict: 'warning', text: 'check.address.local', advice: 'check.address.local.advice' }
      : { verdict: 'warning', text: 'check.address.none', advice: 'check.address.none.advice' };
  }
  const url = new URL(serverUrl);
  const params = { url: url.origin, here: place.origin };
  if (url.host === place.host && url.origin !== place.origin) {
    return { verdict: 'warning', text: 'check.address.scheme', advice: 'check.address.scheme.advice', params };
  }
  const seen = await probes.asksServer();
  if (seen?.outcome === 'another') {
    return { verdict: 'bad', text: 'check.address.another', advice: 'check.address.another.advice', params };
  }
  const isSilent = seen?.outcome === 'silent';
  // Many routers do not let a server call itself by its public name.
  const onlyFromHere: Finding = {
    verdict: 'warning',
    text: 'check.address.onlyHere',
    advice: 'check.address.onlyHere.advice',
    params: { ...params, reason: seen?.reason ?? '' },
  };
  if (url.origin === place.origin) {
    return isSilent ? onlyFromHere : { verdict: 'good', text: 'check.address.same', params };
  }
  if (seen?.outcome === 'reached') return { verdict: 'good', text: 'check.address.other', params };
  // A page may load pictures from any https address, but nothing else from another site than a WebSocket.
  const isReached =
    url.protocol === 'https:'
      ? await probes.loadsPicture(`${url.origin}/logo?check=${Date.now()}`)
      : await probes.opensSocket(socketAddress(url));
  if (isReached && isSilent) return onlyFromHere;
  return isReached
    ? { verdict: 'good', text: 'check.address.other', params }
    : { verdict: 'bad', text: 'check.address.unreachable', advice: 'check.address.unreachable.advice', params };
}

/** Whether the way to the viewers is encrypted. An https address at which nothing answers encrypts nothing. */
export function checkEncryption(serverUrl: string, place: Place, address?: Verdict): Finding {
  const url = publicAddress(serverUrl, place);
  if (url.protocol === 'https:') {
    return address === 'bad'
      ? { verdict: 'warning', text: 'check.https.unproven', advice: 'check.https.unproven.advice' }
      : { verdict: 'good', text: 'check.https.good' };
  }
  return isLocalHost(url.hostname)
    ? { verdict: 'warning', text: 'check.https.local', advice: 'check.https.advice' }
    : { verdict: 'bad', text: 'check.https.missing', advice: 'check.https.advice' };
}

export const socketAddress = (url: URL): string => `${url.protocol === 'https:' ? 'wss' : 'ws'}://${url.host}/ws`;

/** Whether the chat's WebSocket gets through whatever is in between. */
export async function checkSocket(
  serverUrl: string,
  place: Place,
  isChatOff: boolean,
  probes: Probes,
): Promise<Finding> {
  if (isChatOff) return { verdict: 'warning', text: 'check.socket.off' };
  const url = publicAddress(serverUrl, place);
  // A page that came encrypted may open nothing else.
  const reachable = place.protocol === 'https:' && url.protocol === 'http:' ? new URL(place.origin) : url;
  const params = { url: socketAddress(reachable) };
  return (await probes.opensSocket(params.url))
    ? { verdict: 'good', text: 'check.socket.good', params }
    : { verdict: 'bad', text: 'check.socket.bad', advice: 'check.socket.advice', params };
}

/** All give up after a while: a firewall that drops everything never says no. */
export const browserProbes: Probes = {
  opensSocket: (url) =>
    new Promise((resolve) => {
      let socket: WebSocket;
      try {
        socket = new WebSocket(url);
      } catch {
        resolve(false);
        return;
      }
      const finish = (isOpen: boolean) => {
        clearTimeout(timer);
        socket.onclose = null;
        socket.onerror = null;
        socket.close();
        resolve(isOpen);
      };
      const timer = setTimeout(() => finish(false), PATIENCE_MS);
      socket.onopen = () => finish(true);
      socket.onclose = () => finish(false);
      socket.onerror = () => finish(false);
    }),
  loadsPicture: (url) =>
    new Promise((resolve) => {
      const picture = new Image();
      const timer = setTimeout(() => resolve(false), PATIENCE_MS);
      const finish = (isThere: boolean) => {
        clearTimeout(timer);
        resolve(isThere);
      };
      picture.onload = () => finish(true);
      picture.onerror = () => finish(false);
      picture.src = url;
    }),
  asksServer: () => api.post<AddressCheck>('/api/admin/address/check', {}).catch(() => undefined),
};

/** Accounts and addresses of the Fediverse. Pure but for the words. */
import { ApiError } from '../../api.ts';
import { said } from '../../i18n/said.ts';
import { tf } from './texts.ts';

/** The address of a profile says the same: https://host/@name, https://host/users/name. */
const PROFILE = /^\/(?:@|users\/|u\/)([^/@\s]+)\/?$/;
const ACCOUNT = /^(?:acct:)?@?([^\s@/:]+)@([^\s@/]+)$/i;

/** "name@host" of what people write for themselves; undefined when it is no account. */
export function accountOf(text: string): string | undefined {
  const typed = text.trim();
  if (/^https?:\/\//i.test(typed)) {
    if (!URL.canParse(typed)) return undefined;
    const { host, pathname } = new URL(typed);
    const name = PROFILE.exec(pathname)?.[1];
    return name && `${name}@${host}`;
  }
  const [, name, host] = ACCOUNT.exec(typed) ?? [];
  if (!name || !host?.includes('.') || !URL.canParse(`https://${host}/`)) return undefined;
  return `${name}@${host.toLowerCase()}`;
}

/** A whole address of the web; never a scheme that runs something. */
export function webAddress(text: string | null | undefined): string | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  return ['https:', 'http:'].includes(new URL(text).protocol) ? text : undefined;
}

/** The host of an address, for people to read. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

/** Why it did not work: in the server's words where it has some. */
export function complaint(problem: unknown): string {
  if (!(problem instanceof ApiError)) return tf('chat.failed');
  if (problem.message) return said(problem, problem.message);
  return problem.status === 429 ? tf('fediverse.wait', { count: problem.retryAfter ?? 60 }) : tf('chat.failed');
}

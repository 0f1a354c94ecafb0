/** Names and addresses of the stream in the Fediverse. Pure. */

/** The host others see, of a server URL they can reach; undefined when federation cannot work with it. */
export function publicHost(serverUrl: unknown): string | undefined {
  if (typeof serverUrl !== 'string' || !URL.canParse(serverUrl)) return undefined;
  const { protocol, host } = new URL(serverUrl);
  return protocol === 'https:' && host !== '' ? host : undefined;
}

export function addressOf(username: unknown, host: string): string {
  return `@${String(username ?? '')}@${host}`;
}

/** "name@host" however it was written. */
export const handleOf = (username: string): string => `@${username.replace(/^@/, '')}`;

/** How a featured server is doing, in one word. Pure. */
import type { FederatedServer } from '../wire.ts';

export type ServerState = 'live' | 'offline' | 'pending' | 'silent' | 'rejected';

export function stateOf(server: FederatedServer): ServerState {
  if (server.followStatus === 'rejected') return 'rejected';
  if (server.followStatus === 'pending') return server.isSilent ? 'silent' : 'pending';
  return server.isOnline ? 'live' : 'offline';
}

/** People write "live.example"; the server wants an address with https. Undefined for anything else. */
export function serverAddress(text: string): string | undefined {
  const typed = text.trim();
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (!URL.canParse(full)) return undefined;
  const { protocol, hostname, origin } = new URL(full);
  return protocol === 'https:' && hostname.includes('.') ? origin : undefined;
}

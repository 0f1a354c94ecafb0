/** Shapes of the JSON about the chat, as far as the admin pages use them. */

export interface ChatUser {
  id: string;
  displayName: string;
  /** 0 to 7. */
  displayColor: number;
  createdAt: string;
  /** Oldest first, the present name included. */
  previousNames: string[];
  isBot: boolean;
  authenticated: boolean;
  scopes?: string[];
  /** Only for banned people. */
  disabledAt?: string | null;
  mutedUntil?: string | null;
  authProviders?: string[];
}

export interface StoredMessage {
  id: string;
  timestamp: string;
  /** Nobody when the author is no longer known. */
  user: ChatUser | null;
  /** HTML, sanitised by the server. */
  body: string;
  hiddenAt?: string | null;
}

export interface HeldMessage {
  id: string;
  timestamp: string;
  user: ChatUser | null;
  body: string;
}

export interface LogEntry {
  at: string;
  actor: string;
  actorName: string;
  action: string;
  target: string;
  targetName: string;
  detail: string;
}

export interface Client {
  id: string;
  connectedAt: string;
  user: ChatUser;
  userAgent: string;
  messageCount: number;
  ipAddress: string;
  transport: 'websocket' | 'sse';
}

export interface UserPage {
  total: number;
  results: ChatUser[];
}

export interface AddressBan {
  ipAddress: string;
  notes: string;
  createdAt: string;
}

export interface ChatConnection {
  websockets: number;
  fallbacks: number;
  brokenUpgrades: number;
  /** The header a proxy in between takes away. */
  missingHeader: 'Upgrade' | 'Connection' | null;
  lastBrokenAt: string | null;
}

export interface Emoji {
  name: string;
  url: string;
  pack?: string | null;
  builtin?: boolean;
}

export const isModerator = (user: ChatUser): boolean => user.scopes?.includes('MODERATOR') === true;
export const isBanned = (user: ChatUser): boolean => Boolean(user.disabledAt);
/** Names from before, newest first. */
export function formerNames(user: ChatUser): string[] {
  return [...new Set(user.previousNames)].filter((name) => name !== user.displayName).toReversed();
}

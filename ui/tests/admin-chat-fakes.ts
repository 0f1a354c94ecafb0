import type { ChatUser, Client, StoredMessage } from '../src/admin/chat/wire.ts';

export function chatUser(change: Partial<ChatUser> = {}): ChatUser {
  return {
    id: 'u1',
    displayName: 'Ada',
    displayColor: 3,
    createdAt: '2026-01-01T10:00:00Z',
    previousNames: ['quiet-otter', 'Ada'],
    isBot: false,
    authenticated: false,
    ...change,
  };
}

export function message(change: Partial<StoredMessage> = {}): StoredMessage {
  const timestamp = '2026-01-02T12:00:00Z';
  return { id: 'm1', timestamp, type: 'CHAT', user: chatUser(), body: '<p>hello</p>', ...change };
}

export function client(change: Partial<Client> = {}): Client {
  return {
    id: 1,
    connectedAt: '2026-01-02T11:00:00Z',
    user: chatUser(),
    userAgent: 'curl/8.5.0',
    messageCount: 4,
    ipAddress: '203.0.113.7',
    transport: 'websocket',
    geo: null,
    ...change,
  };
}

/** What every action is answered with when it went well. */
export const OK = { body: { success: true, message: 'ok' } };

/** What the connection of the chat needs from the browser and the server. */
import { api } from '../../api.ts';
import { readPreference, writePreference } from '../../storage.ts';
import type { ChatEvent, ChatRegistration, SiteConfig } from '../../wire.ts';
import type { ConnectionEnvironment } from './connection.ts';
import type { SocketLike, SourceLike } from './transport.ts';

/** Where the chat token of this browser is kept. */
export const TOKEN = 'chat.token';
/** Said to the page when there is another one. */
export const TOKEN_CHANGED = 'rillcast:token';

export function browserEnvironment(refreshConfig: () => Promise<SiteConfig>): ConnectionEnvironment {
  // A preview in the admin pages shows the page and is nobody in it: it stays at the door.
  const isPreview = new URLSearchParams(location.search).get('preview') === 'true';
  return {
    openSocket: (query) => {
      const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
      return new WebSocket(`${scheme}//${location.host}/ws?${query}`) as SocketLike;
    },
    openEvents: (query) => new EventSource(`/api/chat/events?${query}`) as SourceLike,
    postEvent: async (token, session, document) => {
      const query = new URLSearchParams({ accessToken: token, session });
      await api.post(`/api/chat/events?${query}`, document);
    },
    register: () => (isPreview ? new Promise<never>(() => {}) : api.post<ChatRegistration>('/api/chat/register', {})),
    history: async (token) => {
      const entries = await api.get<ChatEvent[]>(`/api/chat?${new URLSearchParams({ accessToken: token })}`);
      return Array.isArray(entries) ? entries : [];
    },
    isChatOff: async () => (await refreshConfig()).chatDisabled !== false,
    readToken: () => (isPreview ? null : readPreference(TOKEN)),
    writeToken: (token) => {
      writePreference(TOKEN, token);
      window.dispatchEvent(new Event(TOKEN_CHANGED));
    },
    random: Math.random,
  };
}

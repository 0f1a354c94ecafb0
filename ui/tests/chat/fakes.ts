import type { ConnectionEnvironment } from '../../src/viewer/chat/connection.ts';
import type { SocketLike, SourceLike } from '../../src/viewer/chat/transport.ts';
import type { ChatEvent, ChatUser, SiteConfig } from '../../src/wire.ts';

export class FakeSocket implements SocketLike {
  readyState = 0;
  onmessage: SocketLike['onmessage'] = null;
  onclose: SocketLike['onclose'] = null;
  readonly sent: unknown[] = [];
  isClosedByPage = false;
  constructor(readonly query: URLSearchParams) {}
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {
    this.isClosedByPage = true;
    this.readyState = 3;
  }
  /** The server speaks: every argument is one document, all in one frame. */
  say(...documents: object[]): void {
    this.readyState = 1;
    this.onmessage?.({ data: documents.map((document) => JSON.stringify(document)).join('\n') });
  }
  drop(code = 1006): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }
}

export class FakeSource implements SourceLike {
  onmessage: SourceLike['onmessage'] = null;
  onerror: SourceLike['onerror'] = null;
  isClosedByPage = false;
  #ready: ((event: { data: string }) => void) | undefined;
  constructor(readonly query: URLSearchParams) {}
  addEventListener(_type: string, listener: (event: { data: string }) => void): void {
    this.#ready = listener;
  }
  close(): void {
    this.isClosedByPage = true;
  }
  ready(session: string): void {
    this.#ready?.({ data: JSON.stringify({ session }) });
  }
  say(document: object): void {
    this.onmessage?.({ data: JSON.stringify(document) });
  }
}

export const me: ChatUser = {
  id: 'me',
  displayName: 'ada',
  displayColor: 3,
  createdAt: '2026-01-02T10:00:00Z',
  previousNames: ['ada'],
  isBot: false,
  authenticated: false,
};
export const brook: ChatUser = { ...me, id: 'brook', displayName: 'brook', displayColor: 5, previousNames: ['brook'] };

export const greeting = { type: 'CONNECTED_USER_INFO', id: 'hello', timestamp: '2026-01-02T12:00:00Z', user: me };

let second = 0;
/** A line of chat; each a second after the one before. */
export function said(id: string, body = `<p>${id}</p>`, change: Partial<ChatEvent> = {}): ChatEvent {
  second += 1;
  const timestamp = new Date(Date.UTC(2026, 0, 2, 12, 0, second)).toISOString();
  return { type: 'CHAT', id, timestamp, visible: true, body, user: brook, ...change };
}

/** A environment that remembers what was opened and answers what it is told to. */
export class FakeEnvironment implements ConnectionEnvironment {
  sockets: FakeSocket[] = [];
  sources: FakeSource[] = [];
  posted: { token: string; session: string; document: object }[] = [];
  registrations = 0;
  token: string | null = null;
  entries: ChatEvent[] = [];
  historyCalls = 0;
  offChecks = 0;
  isOff: boolean | 'unreachable' = false;
  isSessionGone = false;
  isRegistrationBroken = false;

  openSocket = (query: string) => {
    const socket = new FakeSocket(new URLSearchParams(query));
    this.sockets.push(socket);
    return socket;
  };
  openEvents = (query: string) => {
    const source = new FakeSource(new URLSearchParams(query));
    this.sources.push(source);
    return source;
  };
  postEvent = async (token: string, session: string, document: object) => {
    if (this.isSessionGone) throw new Error('404');
    this.posted.push({ token, session, document });
  };
  register = async () => {
    if (this.isRegistrationBroken) throw new Error('503');
    this.registrations += 1;
    return { id: 'me', accessToken: `token-${this.registrations}`, displayName: 'ada' };
  };
  history = async () => {
    this.historyCalls += 1;
    return this.entries;
  };
  isChatOff = async () => {
    this.offChecks += 1;
    if (this.isOff === 'unreachable') throw new Error('network');
    return this.isOff;
  };
  readToken = () => this.token;
  writeToken = (token: string | null) => {
    this.token = token;
  };
  random = () => 0.5;

  get socket(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (!socket) throw new Error('no socket was opened');
    return socket;
  }
  get source(): FakeSource {
    const source = this.sources.at(-1);
    if (!source) throw new Error('no stream of events was opened');
    return source;
  }
}

export const chatConfig: SiteConfig = {
  name: 'Brook Radio',
  summary: '',
  logo: '/logo',
  tags: [],
  version: '0.3.0',
  nsfw: false,
  hideViewerCount: false,
  extraPageContent: '',
  offlineMessage: '',
  socialHandles: [],
  chatDisabled: false,
  chatRequireAuthentication: false,
  chatSlowModeSeconds: 0,
  chatMaxLineChars: 500,
  maxSocketPayloadSize: 2048,
  chatOpenWhenOffline: 'window',
  authentication: { indieAuthEnabled: true },
};

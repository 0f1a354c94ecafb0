/**
 * Two ways to the room with one face: the socket, and for networks that break sockets a stream of events with
 * requests in the other direction. Neither decides anything; both say what came and that it is over.
 */
import type { ChatEvent } from '../../wire.ts';
import { documentsOf } from './protocol.ts';

export interface Transport {
  /** Whether it was handed over; not whether anybody heard it. */
  send(document: object): Promise<boolean>;
  /** Ends it without a word to the listener. */
  close(): void;
}

export interface TransportListener {
  onDocuments(documents: ChatEvent[]): void;
  /** Once; the code is that of the socket, 1006 where there is none. */
  onClosed(code: number): void;
}

/** What is used of WebSocket. */
export interface SocketLike {
  readonly readyState: number;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  send(text: string): void;
  close(): void;
}

/** What is used of EventSource. */
export interface SourceLike {
  onmessage: ((event: { data: string }) => void) | null;
  onerror: (() => void) | null;
  addEventListener(type: string, listener: (event: { data: string }) => void): void;
  close(): void;
}

const SOCKET_OPEN = 1;
const CLOSED_WITHOUT_CODE = 1006;

export function socketTransport(socket: SocketLike, listener: TransportListener): Transport {
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string') listener.onDocuments(documentsOf(data));
  };
  socket.onclose = ({ code }) => listener.onClosed(code);
  return {
    send: async (document) => {
      if (socket.readyState !== SOCKET_OPEN) return false;
      socket.send(JSON.stringify(document));
      return true;
    },
    close: () => {
      socket.onmessage = null;
      socket.onclose = null;
      socket.close();
    },
  };
}

/** `post` hands a document to the session and fails when there is no such session any more. */
export function eventsTransport(
  source: SourceLike,
  post: (session: string, document: object) => Promise<void>,
  listener: TransportListener,
): Transport {
  let session: string | undefined;
  let over = false;

  const close = () => {
    over = true;
    source.onmessage = null;
    source.onerror = null;
    source.close();
  };
  const fail = () => {
    if (over) return;
    close();
    listener.onClosed(CLOSED_WITHOUT_CODE);
  };

  source.addEventListener('ready', ({ data }) => {
    session = sessionOf(data);
    if (!session) fail();
  });
  source.onmessage = ({ data }) => listener.onDocuments(documentsOf(data));
  // It would try again by itself, but without the id of the last line and without patience.
  source.onerror = fail;

  return {
    send: async (document) => {
      if (over || !session) return false;
      try {
        await post(session, document);
        return true;
      } catch {
        fail();
        return false;
      }
    },
    close,
  };
}

function sessionOf(data: string): string | undefined {
  try {
    const ready: unknown = JSON.parse(data);
    const known = typeof ready === 'object' && ready !== null && 'session' in ready;
    return known && typeof ready.session === 'string' ? ready.session : undefined;
  } catch {
    return undefined;
  }
}

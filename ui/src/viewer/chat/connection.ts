/**
 * Keeps the way to the room open: registers once, gets the history, connects, and comes back after a loss with the id
 * of the last line it saw. Knows nothing of the page; everything it needs from the browser is in `World`.
 */
import type { ChatEvent, ChatRegistration } from '../../wire.ts';
import { CLOSE_REMOVED, connectQuery, reconnectWait } from './protocol.ts';
import { eventsTransport, type SocketLike, type SourceLike, socketTransport, type Transport } from './transport.ts';

/** `fallback` is open too, over events instead of a socket. */
export type ConnectionState = 'connecting' | 'open' | 'fallback' | 'lost' | 'disabled';
/** Why it is disabled: chat is off for everybody, or this person was removed. */
export type DisabledReason = 'off' | 'removed';

export interface ConnectionEnvironment {
  openSocket(query: string): SocketLike;
  openEvents(query: string): SourceLike;
  postEvent(token: string, session: string, document: object): Promise<void>;
  register(): Promise<ChatRegistration>;
  history(token: string): Promise<ChatEvent[]>;
  /** Asks the server whether chat is off; fails when the server cannot be reached. */
  isChatOff(): Promise<boolean>;
  readToken(): string | null;
  writeToken(token: string | null): void;
  random(): number;
}

export interface ConnectionListener {
  onEvents(events: ChatEvent[]): void;
  onHistory(entries: ChatEvent[]): void;
  onState(state: ConnectionState, reason?: DisabledReason): void;
}

/** So many sockets in a row that never spoke, from a server that answers otherwise, and the network breaks them. */
const SOCKET_TRIES = 2;
/** A socket that is open but says nothing is behind a proxy that swallows it. */
const GREETING_MS = 10_000;
/** A connection that lasted this long was a good one: the next loss starts with a short wait again. */
const STABLE_MS = 10_000;
/**
 * While chat is off the page has no connection on which it could be told that it is back, so it asks. A page that
 * shows a stream asks for media several times as often.
 */
const OFF_CHECK_MS = 1_500;
/** The same while the server does not answer. */
const OFF_CHECK_AWAY_MS = 15_000;
/** Somebody who was removed may be let in again, or their ban ends; nobody tells them, so they ask. */
const REMOVED_CHECK_MS = 30_000;
/** Whoever is told who they are once more looks at the settings within this time, not all in the same moment. */
const LOOK_AGAIN_MS = 800;

export class Connection {
  #token: string | null = null;
  #registering: Promise<string | null> | undefined;
  #transport: Transport | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #look: ReturnType<typeof setTimeout> | undefined;
  #waiting = false;
  #running = false;
  /** Everything asynchronous asks whether its run is still the current one. */
  #run = 0;
  #tries = 0;
  #silentSockets = 0;
  #greetedAt: number | undefined;
  #wasOpen = false;
  #hasHistory = false;
  #lastId: string | undefined;
  #isUnknown = false;
  #isRemoved = false;

  constructor(
    private readonly environment: ConnectionEnvironment,
    private readonly listener: ConnectionListener,
  ) {}

  get token(): string | null {
    return this.#token;
  }

  /** `isOff`: chat is known to be off; then it only waits for it to come back. */
  start(isOff = false): void {
    if (this.#running) return;
    this.#running = true;
    this.#tries = 0;
    this.#isRemoved = false;
    if (isOff) {
      this.#pause();
      return;
    }
    this.listener.onState('connecting');
    void this.#connect();
  }

  stop(): void {
    this.#running = false;
    this.#end();
  }

  /** The token of whoever is here, registered now if nobody was. Null without an answer. */
  async register(): Promise<string | null> {
    return this.#ownToken();
  }

  /** The network is back or somebody looks: do not wait any longer. */
  retryNow(): void {
    if (this.#running && this.#waiting) void this.#connect();
  }

  async send(document: object): Promise<boolean> {
    if (this.#greetedAt === undefined) return false;
    return (await this.#transport?.send(document)) ?? false;
  }

  #end(): void {
    this.#run += 1;
    this.#waiting = false;
    clearTimeout(this.#timer);
    clearTimeout(this.#look);
    this.#transport?.close();
    this.#transport = undefined;
    this.#greetedAt = undefined;
  }

  async #connect(): Promise<void> {
    this.#end();
    const run = this.#run;
    const token = await this.#ownToken();
    if (run !== this.#run) return;
    if (!token) {
      this.#comeBack(0);
      return;
    }
    if (!this.#hasHistory) await this.#loadHistory(token, run);
    if (run !== this.#run) return;
    this.#open(token, run);
  }

  async #ownToken(): Promise<string | null> {
    this.#token ??= this.environment.readToken();
    if (this.#token) return this.#token;
    // Whoever asks in the meantime is the same person.
    this.#registering ??= this.#register().finally(() => {
      this.#registering = undefined;
    });
    return this.#registering;
  }

  async #register(): Promise<string | null> {
    try {
      const { accessToken } = await this.environment.register();
      this.#token = accessToken;
      this.environment.writeToken(accessToken);
    } catch {
      // Tried again with the connection.
    }
    return this.#token;
  }

  /** A failure is no reason to stay outside: it is asked for again once the room is open. */
  async #loadHistory(token: string, run: number): Promise<void> {
    try {
      const entries = await this.environment.history(token);
      if (run !== this.#run) return;
      this.#hasHistory = true;
      this.#lastId ??= entries.findLast(({ id }) => id)?.id;
      this.listener.onHistory(entries);
    } catch {
      this.#hasHistory = false;
    }
  }

  #open(token: string, run: number): void {
    const isSocket = this.#silentSockets < SOCKET_TRIES;
    const lastId = this.#lastId;
    const query = connectQuery(token, lastId);
    const onClosed = (code: number) => {
      if (run === this.#run) void this.#closed(code, isSocket);
    };
    const onDocuments = (documents: ChatEvent[]) => {
      if (run === this.#run) this.#receive(documents, isSocket, lastId);
    };
    const listener = { onDocuments, onClosed };
    this.#isUnknown = false;
    this.#transport = isSocket
      ? socketTransport(this.environment.openSocket(query), listener)
      : eventsTransport(
          this.environment.openEvents(query),
          (session, document) => this.environment.postEvent(token, session, document),
          listener,
        );
    this.#timer = setTimeout(() => onClosed(0), GREETING_MS);
  }

  #receive(documents: ChatEvent[], isSocket: boolean, lastId: string | undefined): void {
    for (const document of documents) {
      if (document.type === 'CONNECTED_USER_INFO') {
        if (this.#greetedAt === undefined) this.#greeted(isSocket, lastId);
        else this.#lookAgain();
      }
      if (document.type === 'ERROR_NEEDS_REGISTRATION') this.#isUnknown = true;
      if (document.type === 'ERROR_USER_DISABLED') this.#isRemoved = true;
      if (document.type === 'CHAT' && document.id) this.#lastId = document.id;
    }
    this.listener.onEvents(documents);
    if (this.#isRemoved) this.#remove();
  }

  #greeted(isSocket: boolean, lastId: string | undefined): void {
    clearTimeout(this.#timer);
    this.#isRemoved = false;
    this.#greetedAt = Date.now();
    this.#wasOpen = true;
    if (isSocket) this.#silentSockets = 0;
    this.listener.onState(isSocket ? 'open' : 'fallback');
    // Without a last id the server cannot know what was missed between the history and now.
    if (this.#token && (!lastId || !this.#hasHistory)) void this.#loadHistory(this.#token, this.#run);
  }

  /** The operator may have changed who may write. */
  #lookAgain(): void {
    clearTimeout(this.#look);
    this.#look = setTimeout(() => {
      // Without an answer the page goes on with what it knows.
      this.environment.isChatOff().catch(() => {});
    }, this.environment.random() * LOOK_AGAIN_MS);
  }

  async #closed(code: number, isSocket: boolean): Promise<void> {
    const greetedAt = this.#greetedAt;
    this.#end();
    const run = this.#run;
    // The next try is a socket again, the network may have changed; one more silent one leads back to events.
    if (!isSocket) this.#silentSockets = SOCKET_TRIES - 1;
    if (this.#isUnknown) {
      this.#token = null;
      this.environment.writeToken(null);
    } else if (code === CLOSE_REMOVED) {
      this.#remove();
      return;
    } else if (greetedAt === undefined) {
      const off = await this.environment.isChatOff().catch(() => undefined);
      if (run !== this.#run) return;
      if (off) {
        this.#pause();
        return;
      }
      // A server that does not answer at all says nothing about sockets.
      if (off === false && isSocket) this.#silentSockets += 1;
    } else if (Date.now() - greetedAt >= STABLE_MS) {
      this.#tries = 0;
    }
    this.#comeBack(code);
  }

  #comeBack(code: number): void {
    if (this.#isRemoved) {
      this.#remove();
      return;
    }
    if (this.#wasOpen || this.#tries > 0) this.listener.onState('lost');
    // The other way is known to be worth a try at once.
    const isSwitch = this.#silentSockets === SOCKET_TRIES;
    const wait = isSwitch ? 0 : reconnectWait(this.#tries, code, this.environment.random());
    this.#tries += 1;
    this.#waiting = true;
    this.#timer = setTimeout(() => void this.#connect(), wait);
  }

  #remove(): void {
    this.#end();
    this.#isRemoved = true;
    this.listener.onState('disabled', 'removed');
    this.#timer = setTimeout(() => void this.#connect(), REMOVED_CHECK_MS * (1 + this.environment.random()));
  }

  #pause(wait = OFF_CHECK_MS): void {
    const run = this.#run;
    this.listener.onState('disabled', 'off');
    this.#timer = setTimeout(async () => {
      const off = await this.environment.isChatOff().catch(() => undefined);
      if (run !== this.#run) return;
      if (off !== false) {
        this.#pause(off === undefined ? OFF_CHECK_AWAY_MS : OFF_CHECK_MS);
        return;
      }
      this.listener.onState('connecting');
      this.#tries = 0;
      void this.#connect();
    }, wait);
  }
}

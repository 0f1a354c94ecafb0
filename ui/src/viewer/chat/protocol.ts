/** Documents of the chat's socket: how they are told apart, and how long to wait for the next try. Pure. */
import type { ChatEvent } from '../../wire.ts';

/** A frame may hold several documents, one in each line. What is no document of ours is left out. */
export function documentsOf(frame: string): ChatEvent[] {
  return frame.split('\n').flatMap((text) => {
    try {
      const document: unknown = JSON.parse(text);
      return isEvent(document) ? [document] : [];
    } catch {
      return [];
    }
  });
}

function isEvent(document: unknown): document is ChatEvent {
  return typeof document === 'object' && document !== null && 'type' in document && typeof document.type === 'string';
}

/** As the server closes: it stops and will be back. */
export const CLOSE_GOING_AWAY = 1001;
/** This person may not come back. */
export const CLOSE_REMOVED = 1008;

const FIRST_WAIT_MS = 1_000;
/** Half a minute: a server that is down for long is not hammered, and its return is noticed soon enough. */
const LONGEST_WAIT_MS = 30_000;
/** After a restart everybody comes back at the same time; this spreads them. */
const RESTART_SPREAD_MS = 2_500;

/** Doubles with every try, and is never the same for two viewers. `random` is in [0, 1). */
export function reconnectWait(tries: number, closeCode: number, random: number): number {
  const longest = Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS);
  const spread = closeCode === CLOSE_GOING_AWAY ? RESTART_SPREAD_MS * random : 0;
  return longest * (0.5 + random / 2) + spread;
}

/** The query of `/ws` and of its replacement. */
export function connectQuery(token: string, lastId: string | undefined): string {
  const query = new URLSearchParams({ accessToken: token });
  if (lastId) query.set('lastId', lastId);
  return query.toString();
}

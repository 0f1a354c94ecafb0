/** How much may still be written: the line has a limit in characters, the frame that carries it one in bytes. Pure. */

export interface Limits {
  chars: number;
  bytes: number;
}

export interface Remainder {
  /** Below zero when it is too much. */
  left: number;
  /** Worth telling. */
  isNear: boolean;
  isOver: boolean;
}

/** The counter appears for the last part of the line. */
const NEAR = 50;

const encoder = new TextEncoder();

/** As the server does: what people see as one character is one, however it is put together. */
function charsOf(text: string): number {
  if (typeof Intl.Segmenter !== 'function') return [...text].length;
  return [...new Intl.Segmenter().segment(text)].length;
}

/** The document that goes out for a line. */
export function chatDocument(body: string, inReplyTo?: string): object {
  return inReplyTo ? { type: 'CHAT', body, inReplyTo } : { type: 'CHAT', body };
}

export function roomLeft(text: string, inReplyTo: string | undefined, limits: Limits): Remainder {
  const body = text.trim();
  const charsLeft = limits.chars - charsOf(body);
  const bytesLeft = limits.bytes - encoder.encode(JSON.stringify(chatDocument(body, inReplyTo))).length;
  const left = Math.min(charsLeft, bytesLeft);
  return { left, isNear: left <= NEAR, isOver: left < 0 };
}

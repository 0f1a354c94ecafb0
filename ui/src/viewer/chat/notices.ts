/** Notices in the reader's language: what the page says by itself, and what the server says in English. */
import { wordsFor } from '../../i18n/said.ts';
import type { ChatEvent } from '../../wire.ts';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Text as the HTML that bodies are. */
function paragraph(text: string): string {
  return `<p>${text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign)}</p>`;
}

const OWN = 'page';

/** A private notice that does not come from the server. */
export function pageNotice(text: string): ChatEvent {
  return { type: 'CHAT_ACTION', notice: OWN, body: paragraph(text) };
}

export function isFromServer(event: ChatEvent): boolean {
  return event.notice !== OWN;
}

/** What the room itself says, with words of the page where it knows them. */
export function translated(event: ChatEvent): ChatEvent {
  const words = typeof event.code === 'string' ? wordsFor(event) : undefined;
  return words ? { ...event, body: paragraph(words) } : event;
}

/** Messages as somebody reads them who has to judge them, and how they are searched. */
import { sanitise } from '../../viewer/chat/sanitise.ts';
import type { StoredMessage } from './wire.ts';

/** What viewers see, and where each link really goes when its text says something else. */
export function revealed(html: string): DocumentFragment {
  const content = sanitise(html, 'line');
  for (const link of content.querySelectorAll('a')) {
    const target = link.getAttribute('href');
    if (target && target !== link.textContent) link.after(` (${target})`);
  }
  return content;
}

/** How many bodies are remembered as text; past it the memory starts anew. */
const MAX_CACHED_TEXTS = 20_000;
const textCache = new Map<string, string>();

/** The same as text, remembered: the whole list is searched again with every answer and every key pressed. */
export function bodyText(html: string): string {
  const found = textCache.get(html);
  if (found !== undefined) return found;
  const content = revealed(html);
  for (const picture of content.querySelectorAll('img')) picture.replaceWith(picture.getAttribute('alt') ?? '');
  const text = (content.textContent ?? '').trim();
  if (textCache.size >= MAX_CACHED_TEXTS) textCache.clear();
  textCache.set(html, text);
  return text;
}

export type VisibilityFilter = 'all' | 'visible' | 'hidden';

/** Messages whose text or author has the words looked for. */
export function select(messages: StoredMessage[], query: string, shown: VisibilityFilter): StoredMessage[] {
  const wanted = query.trim().toLowerCase();
  return messages.filter((message) => {
    if (shown !== 'all' && Boolean(message.hiddenAt) !== (shown === 'hidden')) return false;
    if (wanted === '') return true;
    return (
      message.user?.displayName.toLowerCase().includes(wanted) || bodyText(message.body).toLowerCase().includes(wanted)
    );
  });
}

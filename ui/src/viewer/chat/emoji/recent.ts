/** The emoji somebody used last, kept in their browser. */
import { readPreference, writePreference } from '../../../storage.ts';

const PREFERENCE = 'chat.emoji.recent';
/** Three rows on a phone. */
export const MOST_RECENT = 24;
/** Longer than a name of a picture can be. */
const LONGEST = 80;

/** The last one first. */
export function recentEmoji(): string[] {
  try {
    const kept: unknown = JSON.parse(readPreference(PREFERENCE) ?? '[]');
    if (!Array.isArray(kept)) return [];
    return kept.filter((one) => typeof one === 'string' && one.length <= LONGEST).slice(0, MOST_RECENT);
  } catch {
    return [];
  }
}

export function rememberEmoji(text: string): void {
  const others = recentEmoji().filter((one) => one !== text);
  writePreference(PREFERENCE, JSON.stringify([text, ...others].slice(0, MOST_RECENT)));
}

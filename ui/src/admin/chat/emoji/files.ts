/** From files somebody picked or dropped to emoji that can be sent. */
import type { Emoji } from '../wire.ts';

const EXTENSIONS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};
const PREFIX = '/img/emoji/';

/** What stands between the colons: letters, digits, _ and -. */
export function emojiName(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/** "Party Parrot.gif" is called "Party-Parrot". */
export function nameFromFile(fileName: string): string {
  return emojiName(fileName.replace(/\.[^.]*$/, '')) || 'emoji';
}

/** The ending comes from what the file is, not from what it was called. */
export function fileNameOf(name: string, type: string): string {
  return `${name}.${EXTENSIONS[type] ?? 'png'}`;
}

/** How the server calls it when it is to be deleted. */
export function pathOf(emoji: Emoji): string {
  return emoji.url.startsWith(PREFIX) ? emoji.url.slice(PREFIX.length) : emoji.url;
}

export interface EmojiGroup {
  kind: 'own' | 'pack' | 'builtin';
  /** Name of the pack. */
  pack: string;
  emojis: Emoji[];
}

/** One's own first, then packs by name, then what came with the server; only those with the words looked for. */
export function emojiGroups(emojis: Emoji[], query: string): EmojiGroup[] {
  const wanted = query.trim().toLowerCase().replaceAll(':', '');
  const found = new Map<string, EmojiGroup>();
  for (const emoji of emojis.toSorted((left, right) => left.name.localeCompare(right.name))) {
    if (!emoji.name.toLowerCase().includes(wanted) && !emoji.pack?.toLowerCase().includes(wanted)) continue;
    const kind = emoji.builtin ? 'builtin' : emoji.pack ? 'pack' : 'own';
    const pack = kind === 'pack' ? (emoji.pack ?? '') : '';
    const group = found.get(`${kind}/${pack}`) ?? { kind, pack, emojis: [] };
    group.emojis.push(emoji);
    found.set(`${kind}/${pack}`, group);
  }
  const order = ['own', 'pack', 'builtin'];
  return [...found.values()].sort(
    (left, right) => order.indexOf(left.kind) - order.indexOf(right.kind) || left.pack.localeCompare(right.pack),
  );
}

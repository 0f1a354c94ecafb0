/** What the emoji picker offers, in groups: what was used lately, the server's own pictures, and Unicode's emoji. */
import type { Emoji } from '../../../wire.ts';

/** One emoji, as it is written into a line and as it is shown. */
export interface Pick {
  /** `:name:` of a picture of the server, or the character. */
  text: string;
  name: string;
  /** More words to find it by, in lower case. */
  words: string;
  /** Of a picture. */
  url?: string;
}

export interface Group {
  id: string;
  /** Nothing for pictures that belong to no pack. */
  title: string;
  picks: Pick[];
}

/** The server's pictures in packs, in the order of their first one; those without a pack come first. */
export function packsOf(emoji: readonly Emoji[]): Group[] {
  const packs = new Map<string, Group>([['', { id: 'own', title: '', picks: [] }]]);
  for (const { name, url, pack = '' } of emoji) {
    let group = packs.get(pack);
    if (!group) {
      group = { id: `pack-${pack}`, title: pack, picks: [] };
      packs.set(pack, group);
    }
    group.picks.push({ text: `:${name}:`, name, words: name.toLowerCase(), url });
  }
  return [...packs.values()].filter(({ picks }) => picks.length > 0);
}

/** Reads `unicode.LANGUAGE.ts`, which says how it is written. */
export function unicodeGroups(written: readonly (readonly [string, string])[]): Group[] {
  return written.map(([title, entries], index) => ({
    id: `unicode-${index}`,
    title,
    picks: entries.split(';').map((entry) => {
      const [first = '', ...words] = entry.split('|');
      const space = first.indexOf(' ');
      const name = first.slice(space + 1);
      return { text: first.slice(0, space), name, words: [name, ...words].join('|').toLowerCase() };
    }),
  }));
}

/** Nobody looks through more than this, and to draw all of them for each letter would be slow. */
const MOST_FOUND = 200;

/** Those that all words of the query lead to: names that begin with it first, then other names, then other words. */
export function search(groups: readonly Group[], query: string): Pick[] {
  const wanted = query.toLowerCase().replaceAll(':', ' ').trim();
  const parts = wanted.split(/\s+/);
  const rank = ({ name, text }: Pick) => {
    const at = name.toLowerCase().indexOf(wanted);
    return text === wanted || at === 0 ? 0 : at > 0 ? 1 : 2;
  };
  return groups
    .flatMap(({ picks }) => picks)
    .filter(({ words, text }) => text === wanted || parts.every((part) => words.includes(part)))
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, MOST_FOUND);
}

/** What `texts` stand for, as far as it is there. */
export function picksOf(texts: readonly string[], groups: readonly Group[]): Pick[] {
  const wanted = new Map<string, Pick | undefined>(texts.map((text) => [text, undefined]));
  for (const { picks } of groups) {
    for (const pick of picks) if (wanted.has(pick.text)) wanted.set(pick.text, pick);
  }
  return [...wanted.values()].filter((pick) => pick !== undefined);
}

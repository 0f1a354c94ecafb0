/** Completion of `:emoji:` and `@names` while typing. Pure: text and caret in, text and caret out. */

export type TokenKind = 'emoji' | 'person';

export interface Token {
  kind: TokenKind;
  /** What was typed after the sign. */
  query: string;
  /** Where the sign is. */
  start: number;
}

export interface Edit {
  text: string;
  caret: number;
}

/** With fewer letters every smiley like ":)" would open the list. */
const EMOJI_LETTERS = 2;
/** As long as a name can be. */
const LONGEST_NAME = 30;
export const MOST_CHOICES = 8;

const EMOJI = /(?:^|[^\w:])(:([\w+-]+))$/;
const PERSON = /(?:^|\s)(@(\S*))$/;

/** What is being typed right before the caret, if it can be completed. */
export function tokenAt(text: string, caret: number): Token | undefined {
  const before = text.slice(0, caret);
  const emoji = EMOJI.exec(before)?.[2];
  if (emoji !== undefined && emoji.length >= EMOJI_LETTERS) {
    return { kind: 'emoji', query: emoji, start: caret - emoji.length - 1 };
  }
  const person = PERSON.exec(before)?.[2];
  if (person !== undefined && person.length <= LONGEST_NAME) {
    return { kind: 'person', query: person, start: caret - person.length - 1 };
  }
  return undefined;
}

/** Names that start with the query before those that contain it; the given order within each. */
export function matching<T>(items: readonly T[], query: string, nameOf: (item: T) => string): T[] {
  const wanted = query.toLowerCase();
  const starting: T[] = [];
  const containing: T[] = [];
  for (const item of items) {
    const at = nameOf(item).toLowerCase().indexOf(wanted);
    if (at === 0) starting.push(item);
    else if (at > 0) containing.push(item);
    if (starting.length === MOST_CHOICES) break;
  }
  return [...starting, ...containing].slice(0, MOST_CHOICES);
}

/** The text with the token replaced, ready to go on typing. */
export function complete(text: string, caret: number, token: Token, name: string): Edit {
  const inserted = token.kind === 'emoji' ? `:${name}: ` : `@${name} `;
  const rest = text.slice(caret);
  return {
    text: text.slice(0, token.start) + inserted + rest.replace(/^ /, ''),
    caret: token.start + inserted.length,
  };
}

/** Puts an emoji at the caret: a character as it is, `:name:` apart from the words around it. */
export function insertEmoji(text: string, from: number, to: number, emoji: string): Edit {
  const before = text.slice(0, from);
  const after = text.slice(to);
  if (!emoji.startsWith(':')) return { text: before + emoji + after, caret: from + emoji.length };
  const gap = before && !/\s$/.test(before) ? ' ' : '';
  const inserted = `${gap}${emoji} `;
  return { text: before + inserted + after.replace(/^ /, ''), caret: from + inserted.length };
}

/** What the buttons above a Markdown text do to it. Pure: a text and a selection in, a replacement out. */

export const COMMANDS = ['bold', 'italic', 'link', 'heading', 'list', 'quote', 'code'] as const;
export type Command = (typeof COMMANDS)[number];

export interface Selection {
  text: string;
  start: number;
  end: number;
}

export interface Replacement {
  /** This part of the text is replaced. */
  from: number;
  to: number;
  insert: string;
  /** What is selected afterwards, in the new text. */
  start: number;
  end: number;
}

/** Ctrl or Cmd with one of these. */
export const SHORTCUTS: Record<string, Command> = { b: 'bold', i: 'italic', k: 'link' };

/** Where a link leads until somebody says where. */
const ADDRESS = 'https://';

export function apply(command: Command, selection: Selection): Replacement {
  switch (command) {
    case 'bold':
      return wrapped(selection, '**');
    case 'italic':
      return wrapped(selection, '*');
    case 'link':
      return linked(selection);
    case 'heading':
      return prefixed(selection, '## ');
    case 'list':
      return prefixed(selection, '- ');
    case 'quote':
      return prefixed(selection, '> ');
    case 'code':
      return coded(selection);
  }
}

export const resultOf = ({ text }: Selection, { from, to, insert }: Replacement): string =>
  text.slice(0, from) + insert + text.slice(to);

/** The marks around the selection, or without them where they are there already; spaces stay outside. */
function wrapped({ text, start, end }: Selection, mark: string): Replacement {
  const size = mark.length;
  const isMarked =
    text.slice(start - size, start) === mark &&
    text.slice(end, end + size) === mark &&
    // One star of two is not a mark of its own.
    !(mark === '*' && text[start - 2] === '*' && text[start - 3] !== '*');
  if (isMarked) {
    const insert = text.slice(start, end);
    return { from: start - size, to: end + size, insert, start: start - size, end: end - size };
  }
  const chosen = text.slice(start, end);
  const leading = chosen.length - chosen.trimStart().length;
  const core = chosen.trim();
  const from = start + (core ? leading : 0);
  return {
    from,
    to: from + core.length,
    insert: `${mark}${core}${mark}`,
    start: from + size,
    end: from + size + core.length,
  };
}

/** A selected address becomes the target, anything else the text; what is missing is selected. */
function linked({ text, start, end }: Selection): Replacement {
  const chosen = text.slice(start, end);
  if (/^(https?:\/\/|mailto:|\/)\S+$/.test(chosen)) {
    return { from: start, to: end, insert: `[](${chosen})`, start: start + 1, end: start + 1 };
  }
  const target = start + chosen.length + 3;
  return { from: start, to: end, insert: `[${chosen}](${ADDRESS})`, start: target, end: target + ADDRESS.length };
}

/** The prefix on every line of the selection, or without it where all have it. */
function prefixed({ text, start, end }: Selection, prefix: string): Replacement {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const next = text.indexOf('\n', Math.max(start, end - 1));
  const to = next < 0 ? text.length : next;
  const lines = text.slice(from, to).split('\n');
  const areMarked = lines.every((line) => line.startsWith(prefix));
  const changed = lines.map((line) => (areMarked ? line.slice(prefix.length) : `${prefix}${line}`));
  const insert = changed.join('\n');
  const step = areMarked ? -prefix.length : prefix.length;
  const moved = Math.max(from, start + step);
  return { from, to, insert, start: moved, end: Math.max(moved, end + insert.length - (to - from)) };
}

/** Within a line between backticks, over several lines as a block. */
function coded(selection: Selection): Replacement {
  const { text, start, end } = selection;
  const chosen = text.slice(start, end);
  if (!chosen.includes('\n')) return wrapped(selection, '`');
  const before = start > 0 && text[start - 1] !== '\n' ? '\n' : '';
  const after = end < text.length && text[end] !== '\n' ? '\n' : '';
  const head = `${before}\`\`\`\n`;
  const body = chosen.endsWith('\n') ? chosen : `${chosen}\n`;
  return {
    from: start,
    to: end,
    insert: `${head}${body}\`\`\`${after}`,
    start: start + head.length,
    end: start + head.length + body.length,
  };
}

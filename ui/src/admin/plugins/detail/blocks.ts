/** From Markdown to the blocks it is made of. Knows no DOM. */

export type Alignment = 'left' | 'center' | 'right';

export interface TableBlock {
  kind: 'table';
  head: string[];
  /** Of each column; undefined where the author asks for nothing. */
  align: (Alignment | undefined)[];
  /** Each with as many cells as the head. */
  rows: string[][];
}

export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code' | 'quote' | 'text'; text: string }
  | { kind: 'ul' | 'ol'; items: string[] }
  | TableBlock;

const FENCE = /^\s*(```|~~~)/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const BULLET = /^\s*[-*+]\s+(.*)$/;
const NUMBER = /^\s*\d+[.)]\s+(.*)$/;
const QUOTE = /^\s*>\s?(.*)$/;
/** A cell of the line between the head of a table and its rows. */
const RULE = /^:?-+:?$/;
/** Stands for a pipe that separates nothing; no Markdown may contain it. */
const PIPE = '\0';

export function blocksOf(source: string): Block[] {
  const lines = source.replaceAll('\r\n', '\n').split('\n');
  const blocks: Block[] = [];
  /** The block that the next line may continue. */
  let open: Block | undefined;
  const add = (block: Block) => {
    blocks.push(block);
    open = block;
  };
  const addItem = (kind: 'ul' | 'ol', item: string) => {
    if (open?.kind === kind) open.items.push(item);
    else add({ kind, items: [item] });
  };
  const addText = (kind: 'text' | 'quote', text: string) => {
    if (open?.kind === kind) open.text += `\n${text}`;
    else if (kind === 'text' && open && 'items' in open) open.items.push(`${open.items.pop()}\n${text}`);
    else add({ kind, text });
  };

  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const heading = HEADING.exec(line);
    const item = BULLET.exec(line) ?? undefined;
    const numbered = NUMBER.exec(line) ?? undefined;
    const quote = QUOTE.exec(line) ?? undefined;
    if (FENCE.test(line)) {
      const rest = lines.slice(at + 1);
      const length = rest.findIndex((one) => FENCE.test(one));
      const code = length < 0 ? rest : rest.slice(0, length);
      blocks.push({ kind: 'code', text: code.join('\n') });
      open = undefined;
      at += code.length + 1;
    } else if (line.trim() === '') open = undefined;
    else if (heading) {
      blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' });
      open = undefined;
    } else if (item) addItem('ul', item[1] ?? '');
    else if (numbered) addItem('ol', numbered[1] ?? '');
    else if (quote) addText('quote', quote[1] ?? '');
    else {
      const table = tableAt(lines, at);
      if (table) {
        blocks.push(table);
        open = undefined;
        at += table.rows.length + 1;
      } else addText('text', line.trim());
    }
  }
  return blocks;
}

/** The table whose head is this line. */
function tableAt(lines: string[], at: number): TableBlock | undefined {
  const rule = lines[at + 1] ?? '';
  if (!rule.includes('|')) return undefined;
  const marks = cellsOf(rule);
  const head = cellsOf(lines[at] ?? '');
  if (head.length !== marks.length || !marks.every((mark) => RULE.test(mark))) return undefined;
  const rows: string[][] = [];
  for (let next = at + 2; next < lines.length && !endsTable(lines[next] ?? ''); next += 1) {
    const cells = cellsOf(lines[next] ?? '');
    rows.push(head.map((_, column) => cells[column] ?? ''));
  }
  return { kind: 'table', head, align: marks.map(alignmentOf), rows };
}

const endsTable = (line: string) =>
  line.trim() === '' || [FENCE, HEADING, BULLET, NUMBER, QUOTE].some((start) => start.test(line));

function cellsOf(line: string): string[] {
  const cells = line.trim().replaceAll('\\|', PIPE).split('|');
  // The pipes at both ends are optional and separate nothing either.
  if (cells[0] === '') cells.shift();
  if (cells.at(-1) === '') cells.pop();
  return cells.map((cell) => cell.trim().replaceAll(PIPE, '|'));
}

function alignmentOf(mark: string): Alignment | undefined {
  if (mark.endsWith(':')) return mark.startsWith(':') ? 'center' : 'right';
  return mark.startsWith(':') ? 'left' : undefined;
}

/** Roughly how many characters it shows. */
export function lengthOf(block: Block): number {
  if (block.kind === 'table') return [block.head, ...block.rows].flat().join('').length;
  return ('items' in block ? block.items.join('') : block.text).length;
}

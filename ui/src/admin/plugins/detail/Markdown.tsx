/**
 * The usual parts of Markdown as elements: headings, paragraphs, lists, code, quotes, links. A stranger wrote the text,
 * so nothing of it is ever taken as HTML, and only links that lead to other sites are links.
 */
import { For, type JSX } from 'solid-js';
import { Dynamic } from 'solid-js/web';

export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code' | 'quote' | 'text'; text: string }
  | { kind: 'ul' | 'ol'; items: string[] };

const FENCE = /^\s*(```|~~~)/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const BULLET = /^\s*[-*+]\s+(.*)$/;
const NUMBER = /^\s*\d+[.)]\s+(.*)$/;
const QUOTE = /^\s*>\s?(.*)$/;

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
    else addText('text', line.trim());
  }
  return blocks;
}

export function Markdown(props: { text: string }): JSX.Element {
  return (
    <div class="prose">
      <For each={blocksOf(props.text)}>{(block) => <BlockView block={block} />}</For>
    </div>
  );
}

function BlockView(props: { block: Block }): JSX.Element {
  const { block } = props;
  if ('items' in block) {
    return (
      <Dynamic component={block.kind}>
        <For each={block.items}>
          {(item) => (
            <li>
              <Inline text={item} />
            </li>
          )}
        </For>
      </Dynamic>
    );
  }
  if (block.kind === 'code') {
    return (
      <pre tabindex="0">
        <code>{block.text}</code>
      </pre>
    );
  }
  // The page and the plugin have the two headings above these.
  const element =
    block.kind === 'heading' ? `h${Math.min(block.level + 2, 6)}` : block.kind === 'quote' ? 'blockquote' : 'p';
  return (
    <Dynamic component={element}>
      <Inline text={block.text} />
    </Dynamic>
  );
}

const INLINE =
  /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)|(https?:\/\/[^\s<>)]+)/g;

function Inline(props: { text: string }): JSX.Element {
  const parts: JSX.Element[] = [];
  let end = 0;
  for (const match of props.text.matchAll(INLINE)) {
    const [whole, code, strong, emphasis, label, target, bare] = match;
    parts.push(props.text.slice(end, match.index));
    if (code) parts.push(<code>{code}</code>);
    else if (strong) parts.push(<strong>{strong}</strong>);
    else if (emphasis) parts.push(<em>{emphasis}</em>);
    else parts.push(<OutLink href={target ?? bare ?? ''} text={label ?? bare ?? ''} />);
    end = match.index + whole.length;
  }
  return [...parts, props.text.slice(end)];
}

function OutLink(props: { href: string; text: string }): JSX.Element {
  return (
    <a href={props.href} target="_blank" rel="noopener noreferrer nofollow">
      {props.text}
    </a>
  );
}

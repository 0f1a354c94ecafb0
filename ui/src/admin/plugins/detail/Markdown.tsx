/**
 * The usual parts of Markdown as elements: headings, paragraphs, lists, tables, code, quotes, links. A stranger wrote
 * the text, so nothing of it is ever taken as HTML, and only links that lead to other sites are links.
 */
import { For, type JSX } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { ta } from '../../../i18n/admin.ts';
import type { Block, TableBlock } from './blocks.ts';

export function Blocks(props: { blocks: Block[] }): JSX.Element {
  return (
    <div class="prose" dir="auto">
      <For each={props.blocks}>{(block) => <BlockView block={block} />}</For>
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
  if (block.kind === 'table') return <TableView table={block} />;
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

/** In a frame that scrolls sideways, also by keyboard, so that a wide table does not widen the page. */
function TableView(props: { table: TableBlock }): JSX.Element {
  return (
    <section class="prose-table" tabindex="0" aria-label={ta('plugins.instructions.table')}>
      <table>
        <thead>
          <tr>
            <For each={props.table.head}>
              {(cell, column) => (
                <th scope="col" data-align={props.table.align[column()]}>
                  <Inline text={cell} />
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <For each={props.table.rows}>
            {(row) => (
              <tr>
                <For each={row}>
                  {(cell, column) => (
                    <td data-align={props.table.align[column()]}>
                      <Inline text={cell} />
                    </td>
                  )}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
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

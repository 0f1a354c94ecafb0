/** A list whose order matters: moved by buttons or by dragging, edited and removed. */
import { createSignal, For, type JSX } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { RowTool } from './RowTool.tsx';

export interface ReorderListProps<Item> {
  items: Item[];
  nameOf: (item: Item) => string;
  class?: string;
  rowClass: string;
  disabled: boolean;
  onMove: (from: number, to: number) => void;
  onEdit: (index: number) => void;
  onRemove: (index: number) => void;
  /** What a row shows before its buttons. */
  children: (item: Item) => JSX.Element;
}

/** The list with one entry at another place. */
export function moved<Item>(list: Item[], from: number, to: number): Item[] {
  const rest = list.filter((_, index) => index !== from);
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)];
}

export function ReorderList<Item>(props: ReorderListProps<Item>): JSX.Element {
  const [announcement, setAnnouncement] = createSignal('');
  const [dragged, setDragged] = createSignal<number>();
  let list: HTMLOListElement | undefined;

  const moveItem = (from: number, to: number) => {
    const item = props.items[from];
    if (item === undefined) return;
    const change = { title: props.nameOf(item), place: to + 1, count: props.items.length };
    props.onMove(from, to);
    setAnnouncement(ta('actions.moved', change));
  };
  const step = (from: number, direction: Direction) => {
    const to = direction === 'up' ? from - 1 : from + 1;
    moveItem(from, to);
    focusMove(list?.children[to], direction);
  };
  const drop = (to: number) => {
    const from = dragged();
    setDragged(undefined);
    if (from !== undefined && from !== to) moveItem(from, to);
  };

  return (
    <>
      <ol
        class={`reorder-list ${props.class ?? ''}`}
        ref={(element) => {
          list = element;
        }}
      >
        <For each={props.items}>
          {(item, index) => (
            <li
              class={`reorder-row ${props.rowClass}`}
              draggable={!props.disabled}
              data-dragged={dragged() === index()}
              onDragStart={() => setDragged(index())}
              onDragEnd={() => setDragged(undefined)}
              onDragOver={(event) => {
                if (dragged() !== undefined) event.preventDefault();
              }}
              onDrop={(event) => {
                event.preventDefault();
                drop(index());
              }}
            >
              {props.children(item)}
              <div class="reorder-tools">
                <RowTool
                  icon="up"
                  label={ta('actions.up')}
                  of={props.nameOf(item)}
                  disabled={props.disabled || index() === 0}
                  onPress={() => step(index(), 'up')}
                />
                <RowTool
                  icon="down"
                  label={ta('actions.down')}
                  of={props.nameOf(item)}
                  disabled={props.disabled || index() === props.items.length - 1}
                  onPress={() => step(index(), 'down')}
                />
                <RowTool
                  icon="pencil"
                  label={ta('actions.edit')}
                  of={props.nameOf(item)}
                  disabled={props.disabled}
                  onPress={() => props.onEdit(index())}
                />
                <RowTool
                  icon="trash"
                  label={ta('editor.remove')}
                  of={props.nameOf(item)}
                  disabled={props.disabled}
                  onPress={() => props.onRemove(index())}
                />
              </div>
            </li>
          )}
        </For>
      </ol>
      <span class="visually-hidden" role="status">
        {announcement()}
      </span>
    </>
  );
}

type Direction = 'up' | 'down';

/** Moving a row takes the focus off its button; at the end of the list only the other one is left. */
export function focusMove(row: Element | null | undefined, direction: Direction): void {
  const button = (which: Direction) => row?.querySelector<HTMLButtonElement>(`[data-tool="${which}"]:enabled`);
  (button(direction) ?? button(direction === 'up' ? 'down' : 'up'))?.focus();
}

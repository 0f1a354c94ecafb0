/** Rows in columns; on a phone each row becomes a card, with the label of its column before each value. */
import { createMemo, For, type JSX, Show } from 'solid-js';
import { ta } from '../../i18n/admin.ts';

export interface Column<Row> {
  label: string;
  cell: (row: Row) => JSX.Element;
  /** Shown when the pointer rests on the value. */
  title?: (row: Row) => string | undefined;
  /** Names the row: on top of the card, without the label. */
  heading?: boolean;
  /** Takes the width the others leave, and wraps. */
  wide?: boolean;
  muted?: boolean;
}

export interface DataTableProps<Row> {
  rows: Row[];
  columns: Column<Row>[];
  /** What can be done about a row, in a last column. */
  actions?: (row: Row) => JSX.Element;
  /** Attributes of a row that tell tests and styles which one it is. */
  data?: (row: Row) => Record<`data-${string}`, string | number>;
  /** Its accessible name, where no heading right above it says the same. */
  label?: string;
  /** Cells of several lines: all begin on the first one, and on a phone the actions come last. */
  multiline?: boolean;
}

export function DataTable<Row>(props: DataTableProps<Row>): JSX.Element {
  // A list of columns is written where it is used; without this every row would make its own.
  const columns = createMemo(() => props.columns);
  return (
    // Without a button in it nothing else would let a keyboard scroll it.
    <section
      class="table-frame"
      tabindex={props.actions ? undefined : 0}
      aria-label={props.actions ? undefined : (props.label ?? columns()[0]?.label)}
    >
      <table class="table data-table" classList={{ 'data-table-multiline': props.multiline }} aria-label={props.label}>
        <thead>
          <tr>
            <For each={columns()}>{(column) => <th scope="col">{column.label}</th>}</For>
            <Show when={props.actions}>
              <th scope="col">
                <span class="visually-hidden">{ta('people.actions')}</span>
              </th>
            </Show>
          </tr>
        </thead>
        <tbody>
          <For each={props.rows}>
            {(row) => (
              <tr {...props.data?.(row)}>
                <For each={columns()}>
                  {(column) => (
                    <td
                      classList={{ 'cell-heading': column.heading, 'cell-wide': column.wide, muted: column.muted }}
                      data-label={column.heading ? undefined : column.label}
                      title={column.title?.(row)}
                    >
                      {column.cell(row)}
                    </td>
                  )}
                </For>
                <Show when={props.actions}>{(actions) => <td class="cell-actions">{actions()(row)}</td>}</Show>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}

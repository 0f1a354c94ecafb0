/** The numbers of a chart as a table. Made only when somebody opens it: they change with every answer of the server. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { dateTime } from '../../i18n/format.ts';
import { thinOut } from './draw.ts';
import type { Line } from './TimeChart.tsx';

/** What fits on a page without scrolling for ever. */
const TABLE_ROWS = 24;

export function ChartTable(props: { lines: Line[]; title: string; format: (value: number) => string }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  const rows = () => {
    const times = new Map<number, (number | undefined)[]>();
    for (const [index, line] of props.lines.entries()) {
      for (const point of line.points) {
        const row = times.get(point.at) ?? [];
        row[index] = point.value;
        times.set(point.at, row);
      }
    }
    const sorted = [...times].toSorted(([one], [other]) => one - other);
    return thinOut(sorted, TABLE_ROWS).toReversed();
  };
  return (
    <details class="chart-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{ta('chart.table')}</summary>
      <Show when={open()}>
        <section class="table-frame" tabindex="0" aria-label={props.title}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{ta('logs.time')}</th>
                <For each={props.lines}>{(line) => <th scope="col">{line.label}</th>}</For>
              </tr>
            </thead>
            <tbody>
              <For each={rows()}>
                {([time, values]) => (
                  <tr>
                    <th scope="row">
                      <time datetime={new Date(time).toISOString()}>{dateTime(new Date(time).toISOString())}</time>
                    </th>
                    <For each={props.lines}>
                      {(_, index) => (
                        <td>{values[index()] === undefined ? '–' : props.format(values[index()] ?? 0)}</td>
                      )}
                    </For>
                  </tr>
                )}
              </For>
            </tbody>
          </table>
        </section>
      </Show>
    </details>
  );
}

/** One or more lines over time, with the newest value in words and everything again as a table. */
import './charts.css';
import { createMemo, createSignal, For, Index, type JSX, Show } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { timeOfDay } from '../../i18n/format.admin.ts';
import { dateTime } from '../../i18n/format.ts';
import { drawLine, highestOf, lowestOf, type Point, roundUp, thinOut, VIEW_BOX } from './draw.ts';

export interface Line {
  label: string;
  points: Point[];
}

export interface TimeChartProps {
  title: string;
  /** What the numbers mean or what to do about them. */
  text?: string;
  lines: Line[];
  format: (value: number) => string;
  /** The value at the upper edge, where it is known; otherwise a round number above everything. */
  top?: number;
  /** The drawing ends now and begins this long ago; otherwise it begins with the oldest point. */
  spanMs?: number;
  /** Between two points: more than three times this is a gap. */
  everyMs: number;
}

/** What fits on a page without scrolling for ever. */
const TABLE_ROWS = 24;
const GAP_FACTOR = 3;
const HOUR_MS = 3_600_000;

export function TimeChart(props: TimeChartProps): JSX.Element {
  const all = createMemo(() => props.lines.flatMap((line) => line.points));
  const newest = () => all().reduce((latest, point) => Math.max(latest, point.at), 0);
  const oldest = () => all().reduce((first, point) => Math.min(first, point.at), newest());
  const top = () => props.top ?? roundUp(highestOf(all()));
  const scale = createMemo(() => {
    const to = props.spanMs === undefined ? newest() : Math.max(newest(), Date.now());
    const spanMs = props.spanMs ?? Math.max(to - oldest(), props.everyMs);
    return { to, spanMs, gapMs: props.everyMs * GAP_FACTOR, top: top() };
  });
  const at = (time: number) => (scale().spanMs > 20 * HOUR_MS ? dateTime : timeOfDay)(new Date(time).toISOString());
  const summary = () =>
    props.lines
      .filter((line) => line.points.length > 0)
      .map((line) =>
        ta('chart.range', {
          name: line.label,
          low: props.format(lowestOf(line.points)),
          high: props.format(highestOf(line.points)),
        }),
      )
      .join(' ');
  return (
    <figure class="chart time-chart">
      <figcaption>
        <span class="chart-title">{props.title}</span>
        <Show when={all().length > 0}>
          <ul class="chart-legend">
            <Index each={props.lines}>
              {(line, index) => (
                <Show when={line().points.at(-1)}>
                  {(last) => (
                    <li data-line={index}>
                      {line().label} <strong>{props.format(last().value)}</strong>
                    </li>
                  )}
                </Show>
              )}
            </Index>
          </ul>
        </Show>
      </figcaption>
      <Show when={props.text}>
        <p class="muted small">{props.text}</p>
      </Show>
      <Show when={all().length > 0} fallback={<p class="muted small">{ta('chart.empty')}</p>}>
        <div class="chart-frame">
          <svg viewBox={VIEW_BOX} preserveAspectRatio="none" role="img" aria-label={`${props.title}. ${summary()}`}>
            <Index each={props.lines}>
              {(line, index) => {
                const drawing = createMemo(() => drawLine(line().points, scale()));
                return (
                  <g data-line={index}>
                    <Show when={props.lines.length === 1}>
                      <path class="chart-area" d={drawing().area} />
                    </Show>
                    <path class="chart-line" d={drawing().line} />
                  </g>
                );
              }}
            </Index>
          </svg>
          <span class="chart-top">{props.format(top())}</span>
        </div>
        <div class="chart-axis">
          <span>{at(scale().to - scale().spanMs)}</span>
          <span>{at(scale().to)}</span>
        </div>
        <AsTable lines={props.lines} title={props.title} format={props.format} />
      </Show>
    </figure>
  );
}

/** Made only when somebody opens it: the numbers change with every answer of the server. */
function AsTable(props: { lines: Line[]; title: string; format: (value: number) => string }): JSX.Element {
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

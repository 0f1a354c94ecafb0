/**
 * One or more lines over time, with axes, with the newest value in words, or that of the moment one points at or
 * chooses with the arrow keys, and everything again as a table.
 */
import './charts.css';
import { createMemo, createSignal, createUniqueId, For, Index, type JSX, onCleanup, Show } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { ChartAxes } from './ChartAxes.tsx';
import { ChartTable } from './ChartTable.tsx';
import { drawLine, highestOf, lowestOf, type PlotArea, type Point, placeTime, placeValue, roundUp } from './draw.ts';
import { momentLabel } from './labels.ts';
import { nearest, timeTicks, valueTicks } from './ticks.ts';

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
  /** What one is on the labels of the axis, where people do not count in ones: a megabyte of bytes. */
  unit?: number;
  /** The drawing ends now and begins this long ago; otherwise it begins with the oldest point. */
  spanMs?: number;
  /** From when to when, instead. */
  between?: [from: number, to: number];
  /** Between two points: more than three times this is a gap. */
  everyMs: number;
}

const GAP_FACTOR = 3;
/** Until the page has told how wide the drawing is. */
const USUAL_WIDTH = 600;
const HEIGHT = 208;
/** Above the lines there is room for the moment that is read, below for the times. */
const ABOVE = 22;
const BELOW = 26;
const BESIDE = 12;
/** About as wide is a letter of a label. */
const LETTER = 6.6;
/** What a label of a time takes with some air. */
const TIME_LABEL = 76;

export function TimeChart(props: TimeChartProps): JSX.Element {
  const all = createMemo(() => props.lines.flatMap((line) => line.points));
  return (
    <figure class="chart time-chart">
      <Show
        when={all().length > 0}
        fallback={
          <>
            <figcaption>
              <span class="chart-title">{props.title}</span>
            </figcaption>
            <Show when={props.text}>
              <p class="muted small">{props.text}</p>
            </Show>
            <p class="muted small">{ta('chart.empty')}</p>
          </>
        }
      >
        <Drawing {...props} all={all()} />
        <ChartTable lines={props.lines} title={props.title} format={props.format} />
      </Show>
    </figure>
  );
}

function Drawing(props: TimeChartProps & { all: Point[] }): JSX.Element {
  const hint = createUniqueId();
  const [width, setWidth] = createSignal(USUAL_WIDTH);
  const [chosen, setChosen] = createSignal<number>();

  const newest = () => props.all.reduce((latest, point) => Math.max(latest, point.at), 0);
  const oldest = () => props.all.reduce((first, point) => Math.min(first, point.at), newest());
  const values = createMemo(() => {
    if (props.top !== undefined) return valueTicks(props.top);
    const whole = props.unit === undefined && props.all.every((point) => Number.isInteger(point.value));
    const highest = highestOf(props.all);
    return valueTicks(highest || roundUp(highest), { whole, unit: props.unit });
  });
  const scale = createMemo(() => {
    const [from, end] = props.between ?? [oldest(), newest()];
    const to = props.spanMs === undefined ? end : Math.max(end, Date.now());
    const spanMs = props.spanMs ?? Math.max(to - from, props.everyMs);
    return { to, spanMs, gapMs: props.everyMs * GAP_FACTOR, top: values().at(-1) ?? 1 };
  });
  const plot = createMemo((): PlotArea => {
    const longest = Math.max(...values().map((value) => props.format(value).length));
    const x = Math.ceil(longest * LETTER) + BESIDE;
    return { x, y: ABOVE, width: Math.max(width() - x - BESIDE, 40), height: HEIGHT - ABOVE - BELOW };
  });
  const ticks = createMemo(() => {
    const { to, spanMs } = scale();
    return timeTicks(to - spanMs, to, Math.max(Math.floor(plot().width / TIME_LABEL), 2));
  });

  /** Every moment of which something is known, from early to late. */
  const times = createMemo(() => {
    const { to, spanMs } = scale();
    const shown = props.all.filter(({ at }) => at >= to - spanMs && at <= to);
    return [...new Set(shown.map(({ at }) => at))].toSorted((one, other) => one - other);
  });
  const position = () => {
    const at = chosen();
    return at === undefined ? -1 : nearest(times(), at);
  };
  const moment = () => times()[position()];
  const valueAtMoment = (line: Line) => {
    const at = moment();
    return at === undefined ? line.points.at(-1)?.value : line.points.find((point) => point.at === at)?.value;
  };
  const told = (line: Line) => {
    const value = valueAtMoment(line);
    return value === undefined ? '–' : props.format(value);
  };
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
  const readOut = () => {
    const at = moment() ?? times().at(-1);
    if (at === undefined) return '';
    const values = props.lines.map((line) => `${line.label} ${told(line)}`);
    return `${momentLabel(at, scale().spanMs)}: ${values.join(', ')}`;
  };

  const observe = (frame: HTMLElement) => {
    if (typeof ResizeObserver !== 'function') return;
    const observer = new ResizeObserver(() => setWidth(frame.clientWidth || USUAL_WIDTH));
    observer.observe(frame);
    onCleanup(() => observer.disconnect());
  };
  const pointAt = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const { to, spanMs } = scale();
    const share = (event.clientX - left - plot().x) / plot().width;
    setChosen(to - spanMs + Math.min(Math.max(share, 0), 1) * spanMs);
  };
  const leave = (event: PointerEvent) => {
    // A finger that is lifted leaves what it chose.
    if (event.pointerType !== 'touch') setChosen(undefined);
  };

  return (
    <>
      <figcaption>
        <span class="chart-title">{props.title}</span>
        <ul class="chart-legend">
          <Index each={props.lines}>
            {(line, index) => (
              <Show when={line().points.length > 0}>
                <li data-line={index}>
                  {line().label} <strong>{told(line())}</strong>
                </li>
              </Show>
            )}
          </Index>
        </ul>
      </figcaption>
      <Show when={props.text}>
        <p class="muted small">{props.text}</p>
      </Show>
      {/* A chart is read from left to right in every language. */}
      <div
        ref={observe}
        class="chart-frame"
        dir="ltr"
        onPointerMove={pointAt}
        onPointerDown={pointAt}
        onPointerLeave={leave}
      >
        <svg viewBox={`0 0 ${width()} ${HEIGHT}`} role="img" aria-label={`${props.title}. ${summary()}`}>
          <ChartAxes plot={plot()} scale={scale()} values={values()} times={ticks()} format={props.format} />
          <Index each={props.lines}>
            {(line, index) => {
              const drawing = createMemo(() => drawLine(line().points, scale(), plot()));
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
          <Show when={moment()}>
            {(at) => (
              <Cursor at={at()} lines={props.lines} scale={scale()} plot={plot()} valueAtMoment={valueAtMoment} />
            )}
          </Show>
        </svg>
        <input
          class="chart-cursor"
          type="range"
          min="0"
          max={Math.max(times().length - 1, 0)}
          value={position() < 0 ? times().length - 1 : position()}
          aria-label={ta('chart.read', { title: props.title })}
          aria-valuetext={readOut()}
          aria-describedby={hint}
          onFocus={() => setChosen((at) => at ?? times().at(-1))}
          onBlur={() => setChosen(undefined)}
          onInput={(event) => setChosen(times()[Number(event.currentTarget.value)])}
        />
        <span id={hint} hidden>
          {ta('chart.read.help')}
        </span>
      </div>
    </>
  );
}

/** The moment that is read: a line through the drawing, a dot on each line, and when it was. */
function Cursor(props: {
  at: number;
  lines: Line[];
  scale: Parameters<typeof placeTime>[1];
  plot: PlotArea;
  valueAtMoment: (line: Line) => number | undefined;
}): JSX.Element {
  const x = () => placeTime(props.at, props.scale, props.plot);
  const anchor = () => {
    const share = (x() - props.plot.x) / props.plot.width;
    if (share < 0.2) return 'start';
    return share > 0.8 ? 'end' : 'middle';
  };
  return (
    <g class="chart-moment">
      <path d={`M${x().toFixed(1)} ${props.plot.y}v${props.plot.height}`} />
      <text x={x()} y={props.plot.y - 8} text-anchor={anchor()}>
        {momentLabel(props.at, props.scale.spanMs)}
      </text>
      <For each={props.lines}>
        {(line, index) => (
          <Show when={props.valueAtMoment(line) !== undefined}>
            <circle
              data-line={index()}
              cx={x()}
              cy={placeValue(props.valueAtMoment(line) ?? 0, props.scale, props.plot)}
              r="4"
            />
          </Show>
        )}
      </For>
    </g>
  );
}

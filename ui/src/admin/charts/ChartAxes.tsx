/** The grid of a chart with what is written beside it. All of it is drawing: the words for it are elsewhere. */
import { For, type JSX } from 'solid-js';
import { type PlotArea, placeTime, placeValue, type Scale } from './draw.ts';
import { tickLabel } from './labels.ts';
import type { TimeTick } from './ticks.ts';

/** Between an axis and its labels. */
const GAP = 6;
/** Nearer than this to an edge a label in the middle would be cut off. */
const EDGE = 18;

export function ChartAxes(props: {
  plot: PlotArea;
  scale: Scale;
  values: number[];
  times: TimeTick[];
  format: (value: number) => string;
}): JSX.Element {
  const right = () => props.plot.x + props.plot.width;
  const bottom = () => props.plot.y + props.plot.height;
  return (
    <g class="chart-axes">
      <For each={props.values}>
        {(value) => {
          const y = () => placeValue(value, props.scale, props.plot);
          return (
            <>
              <path class="chart-grid-line" d={`M${props.plot.x} ${y().toFixed(1)}H${right()}`} />
              <text x={props.plot.x - GAP} y={y()} dy="0.32em" text-anchor="end">
                {props.format(value)}
              </text>
            </>
          );
        }}
      </For>
      <For each={props.times}>
        {(tick) => {
          const x = () => placeTime(tick.at, props.scale, props.plot);
          const anchor = () => (x() + EDGE > right() ? 'end' : 'middle');
          return (
            <>
              <path class="chart-grid-line" d={`M${x().toFixed(1)} ${props.plot.y}V${bottom() + 4}`} />
              <text x={x()} y={bottom() + GAP} dy="1em" text-anchor={anchor()}>
                {tickLabel(tick)}
              </text>
            </>
          );
        }}
      </For>
    </g>
  );
}

/** How much arrived in each of the last two minutes' seconds. */
import { createUniqueId, type JSX, Show } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { bitrate } from '../../i18n/format.ts';
import type { InboundSample } from '../../wire.ts';

/** Seconds across; one unit of the drawing is one second. */
const SPAN = 120;
const HEIGHT = 40;
/** More than this without a sample is a gap in the line, not a slope. */
const GAP_SECONDS = 3;

export interface Drawing {
  line: string;
  area: string;
  /** Of the scale, in kbit/s: a round number above everything. */
  top: number;
}

/** The next of 1, 2, 5, 10, 20, 50 … above the value. */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

export function draw(samples: InboundSample[]): Drawing {
  const newest = Date.parse(samples.at(-1)?.at ?? '');
  const top = roundUp(Math.max(...samples.map((sample) => sample.kbps), 0));
  const points = samples
    .map((sample) => ({
      x: SPAN - (newest - Date.parse(sample.at)) / 1000,
      y: HEIGHT * (1 - sample.kbps / top),
    }))
    .filter((point) => point.x >= 0);

  let line = '';
  let area = '';
  let last: { x: number; y: number } | undefined;
  for (const point of points) {
    const at = `${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
    if (last && point.x - last.x <= GAP_SECONDS) {
      line += `L${at}`;
      area += `L${at}`;
    } else {
      if (last) area += `L${last.x.toFixed(1)} ${HEIGHT}Z`;
      line += `M${at}`;
      area += `M${point.x.toFixed(1)} ${HEIGHT}L${at}`;
    }
    last = point;
  }
  if (last) area += `L${last.x.toFixed(1)} ${HEIGHT}Z`;
  return { line, area, top };
}

export function BitrateChart(props: { samples: InboundSample[] }): JSX.Element {
  const titleId = createUniqueId();
  const drawing = () => draw(props.samples);
  const now = () => props.samples.at(-1)?.kbps ?? 0;
  const lowest = () => Math.min(...props.samples.map((sample) => sample.kbps));
  const highest = () => Math.max(...props.samples.map((sample) => sample.kbps));
  return (
    <figure class="chart">
      <figcaption id={titleId}>
        {ta('live.chart')} <strong>{bitrate(now())}</strong>
      </figcaption>
      <Show when={props.samples.length > 0} fallback={<p class="muted small">{ta('live.chart.empty')}</p>}>
        <div class="chart-frame">
          <svg
            viewBox={`0 0 ${SPAN} ${HEIGHT}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={ta('live.chart.range', { low: bitrate(lowest()), high: bitrate(highest()) })}
          >
            <path class="chart-area" d={drawing().area} />
            <path class="chart-line" d={drawing().line} />
          </svg>
          <span class="chart-top">{bitrate(drawing().top)}</span>
          <span class="chart-since">{ta('live.chart.since')}</span>
        </div>
      </Show>
    </figure>
  );
}

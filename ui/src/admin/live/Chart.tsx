/** How much arrived in each of the last two minutes' seconds. */
import { createUniqueId, type JSX, Show } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { bitrate } from '../../i18n/format.ts';
import type { InboundSample } from '../../wire.ts';
import { type Drawing, drawLine, highestOf, roundUp, VIEW_BOX } from '../charts/draw.ts';

/** Across the drawing. */
const SPAN_MS = 120_000;
/** More than this without a sample is a gap in the line, not a slope. */
const GAP_MS = 3_000;

export function draw(samples: InboundSample[]): Drawing & { top: number } {
  const points = samples.map((sample) => ({ at: Date.parse(sample.at), value: sample.kbps }));
  const top = roundUp(highestOf(points));
  return { ...drawLine(points, { to: points.at(-1)?.at ?? 0, spanMs: SPAN_MS, gapMs: GAP_MS, top }), top };
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
            viewBox={VIEW_BOX}
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

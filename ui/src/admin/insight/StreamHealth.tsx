/** How the stream arrives here, and how it arrives at those who watch. */
import './insight.css';
import { createMemo, Index, type JSX, Match, Show, Switch } from 'solid-js';
import { Banner, EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { ta } from '../../i18n/admin.ts';
import { percent } from '../../i18n/format.admin.ts';
import { bitrate, decimal, number } from '../../i18n/format.ts';
import { said } from '../../i18n/said.ts';
import type { AdminStatus, Health } from '../../wire.ts';
import { type Line, TimeChart } from '../charts/TimeChart.tsx';
import { LiveCard } from '../live/LiveCard.tsx';
import { createPolled } from '../polled.ts';
import { useStream } from '../stream.ts';
import { LadderCard } from '../video/LadderCard.tsx';
import { type PlaybackMetrics, pointsOf, type TimedValue } from './wire.ts';

const INTERVAL_MS = 10_000;
/** What players report is summed up every minute. */
const REPORTED_EVERY_MS = 60_000;

export function StreamHealth(props: { status?: AdminStatus }): JSX.Element {
  const stream = useStream();
  const running = () => {
    const now = stream();
    return now && now.state !== 'offline' ? now : undefined;
  };
  /** Nobody has said anything yet: all of nobody would be fine. */
  const reported = () => {
    const health = props.status?.health;
    return health && health.representation > 0 ? health : undefined;
  };
  return (
    <>
      <Show when={running()}>{(now) => <LiveCard stream={now()} status={props.status} />}</Show>
      <Show when={running()}>
        <LadderCard />
      </Show>
      <Show when={stream()?.state === 'offline'}>
        <Banner>
          <p>{ta('health.offline')}</p>
        </Banner>
      </Show>
      <Show when={reported()}>
        {(health) => (
          <Banner tone={health().healthy ? 'info' : 'warning'}>
            <strong>{playersIn(health())}</strong>
            <Show when={health().troubledPlayers === 0 && health().message}>
              {(message) => <p>{said(health(), message())}</p>}
            </Show>
          </Banner>
        )}
      </Show>
      <AtViewers />
    </>
  );
}

/** The page's first sentence: how many viewers stall, and whether their own connections are why. */
export function playersIn(health: Health): string {
  const { players, troubledPlayers: count, slowPlayers: slow, neededKbps } = health;
  if (count === 0) return ta('health.fine', { count: players });
  const speed = bitrate(neededKbps ?? 0);
  if (slow === 0) return ta('health.stall', { count, players });
  if (slow === count) return ta('health.stall.slow', { count, players, speed });
  return ta('health.stall.some', { count, players, slow, speed });
}

interface ChartOf {
  title: string;
  text: string;
  lines: Line[];
  format: (value: number) => string;
}

const seconds = (value: number): string => ta('health.seconds', { seconds: decimal(value) });

/** Lowest, in the middle and highest: what one player suffers must not hide behind what most have. */
function spread(low: TimedValue[], middle: TimedValue[], high: TimedValue[]): Line[] {
  return [
    { label: ta('health.middle'), points: pointsOf(middle) },
    { label: ta('health.low'), points: pointsOf(low) },
    { label: ta('health.high'), points: pointsOf(high) },
  ];
}

/** In the order in which one looks for a fault. */
export function chartsOf(metrics: PlaybackMetrics): ChartOf[] {
  const rates = (metrics.availableBitrates ?? []).map((rate) => bitrate(rate)).join(', ');
  return [
    {
      title: ta('health.trouble'),
      text: ta('health.trouble.text'),
      lines: [
        { label: ta('health.errors'), points: pointsOf(metrics.errors) },
        { label: ta('health.changes'), points: pointsOf(metrics.qualityVariantChanges) },
      ],
      format: number,
    },
    {
      title: ta('health.latency'),
      text: ta('health.latency.text'),
      lines: spread(metrics.lowestLatency, metrics.medianLatency, metrics.highestLatency),
      format: seconds,
    },
    {
      title: ta('health.download'),
      text: ta('health.download.text', { seconds: decimal(metrics.segmentLength ?? 0) }),
      lines: spread(
        metrics.minimumSegmentDownloadDuration,
        metrics.medianSegmentDownloadDuration,
        metrics.maximumSegmentDownloadDuration,
      ),
      format: seconds,
    },
    {
      title: ta('health.speed'),
      text: rates ? ta('health.speed.rates', { rates }) : ta('health.speed.text'),
      lines: spread(metrics.minPlayerBitrate, metrics.medianPlayerBitrate, metrics.maxPlayerBitrate),
      format: bitrate,
    },
  ];
}

function AtViewers(): JSX.Element {
  const metrics = createPolled<PlaybackMetrics>('/api/admin/metrics/video', INTERVAL_MS);
  const charts = createMemo(() => {
    const now = metrics.raw();
    return now ? chartsOf(now) : [];
  });
  const hasReports = () => charts().some((chart) => chart.lines.some((line) => line.points.length > 0));
  return (
    <Switch
      fallback={
        <section class="card">
          <Skeleton lines={8} />
        </section>
      }
    >
      <Match when={hasReports()}>
        <p class="muted small">
          {ta('health.representation', { percent: percent(metrics.raw()?.representation ?? 0) })}
        </p>
        <div class="chart-grid">
          <Index each={charts()}>
            {(chart) => (
              <section class="card">
                <TimeChart {...chart()} everyMs={REPORTED_EVERY_MS} />
              </section>
            )}
          </Index>
        </div>
      </Match>
      <Match when={metrics.value()}>
        <section class="card">
          <EmptyState icon="people" title={ta('health.empty.title')}>
            <p>{ta('health.empty.text')}</p>
          </EmptyState>
        </section>
      </Match>
      <Match when={metrics.failing()}>
        <LoadError title={ta('error.load')} onRetry={() => void metrics.refresh()} />
      </Match>
    </Switch>
  );
}

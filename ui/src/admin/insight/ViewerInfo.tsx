/** How many watched when, and who is watching right now. */
import './insight.css';
import { createEffect, createSignal, For, type JSX, Match, on, Show, Switch } from 'solid-js';
import { api } from '../../api.ts';
import { LoadError, Skeleton } from '../../design/Feedback.tsx';
import { Time } from '../../design/Time.tsx';
import { ta } from '../../i18n/admin.ts';
import { duration, number } from '../../i18n/format.ts';
import { usePolling } from '../../poll.ts';
import type { AdminStatus } from '../../wire.ts';
import { TimeChart } from '../charts/TimeChart.tsx';
import { agentName } from '../chat/addresses.ts';
import { DataTable } from '../lists/DataTable.tsx';
import { ListView } from '../lists/ListView.tsx';
import { listOfPolled } from '../lists/source.ts';
import { createPolled } from '../polled.ts';
import { type CurrentViewer, pointsOf, type TimedValue } from './wire.ts';

/** Hours back from now. */
const RANGES = [1, 3, 12, 24];
const HOUR_MS = 3_600_000;
/** The server counts once a minute. */
const COUNTED_EVERY_MS = 60_000;
const CHART_INTERVAL_MS = 30_000;
const VIEWERS_INTERVAL_MS = 5_000;

/** The address that answers with everything since so many hours ago. */
export function seriesPath(hours: number, now: number): string {
  return `/api/admin/viewersOverTime?windowStart=${Math.floor((now - hours * HOUR_MS) / 1000)}`;
}

export function ViewerInfo(props: { status?: AdminStatus }): JSX.Element {
  return (
    <>
      <section class="card">
        <h2 class="visually-hidden">{ta('viewers.numbers')}</h2>
        <Show when={props.status} fallback={<Skeleton lines={2} />}>
          {(status) => (
            <dl class="facts">
              <Fact label={ta('home.live.now')} value={status().viewerCount} />
              <Fact label={ta('home.live.peak')} value={status().sessionPeakViewerCount} />
              <Fact label={ta('home.live.record')} value={status().overallPeakViewerCount} />
            </dl>
          )}
        </Show>
      </section>
      <OverTime />
      <CurrentViewers />
    </>
  );
}

function Fact(props: { label: string; value: number }): JSX.Element {
  return (
    <div>
      <dt>{props.label}</dt>
      <dd>{number(props.value)}</dd>
    </div>
  );
}

function OverTime(): JSX.Element {
  const [hours, setHours] = createSignal(1);
  const [series, setSeries] = createSignal<{ hours: number; list: TimedValue[] }>();
  const [failing, setFailing] = createSignal(false);

  const ask = async () => {
    const asked = hours();
    return { hours: asked, list: await api.get<TimedValue[]>(seriesPath(asked, Date.now())) };
  };
  const show = (answer: { hours: number; list: TimedValue[] }) => {
    // An answer for the range that was left is too late.
    if (answer.hours === hours()) setSeries(answer);
  };
  const refresh = () =>
    ask().then(
      (answer) => {
        setFailing(false);
        show(answer);
      },
      () => setFailing(true),
    );
  usePolling({ ask, onAnswer: show, onTrouble: setFailing, intervalMs: CHART_INTERVAL_MS, immediately: true });
  createEffect(on(hours, () => void refresh(), { defer: true }));

  return (
    <section class="card">
      <fieldset class="segments" aria-label={ta('viewers.range')}>
        <For each={RANGES}>
          {(range) => (
            <button type="button" aria-pressed={hours() === range} onClick={() => setHours(range)}>
              {ta('viewers.hours', { count: range })}
            </button>
          )}
        </For>
      </fieldset>
      <Switch fallback={<Skeleton lines={5} />}>
        <Match when={series()}>
          {(shown) => (
            <TimeChart
              title={ta('viewers.chart')}
              lines={[{ label: ta('viewers.count'), points: pointsOf(shown().list) }]}
              format={number}
              spanMs={shown().hours * HOUR_MS}
              everyMs={COUNTED_EVERY_MS}
            />
          )}
        </Match>
        <Match when={failing()}>
          <LoadError title={ta('error.load')} onRetry={() => void refresh()} />
        </Match>
      </Switch>
    </section>
  );
}

function CurrentViewers(): JSX.Element {
  const viewers = createPolled<CurrentViewer[]>('/api/admin/viewers', VIEWERS_INTERVAL_MS);
  const list = listOfPolled(viewers, (present) => present);
  return (
    <section class="card">
      <header>
        <h2>{ta('viewers.present')}</h2>
        <p class="muted small">{ta('viewers.present.text')}</p>
      </header>
      <ListView
        list={list}
        empty={{ icon: 'people', title: ta('viewers.empty.title'), text: ta('viewers.empty.text') }}
      >
        <DataTable
          rows={list.entries() ?? []}
          columns={[
            {
              label: ta('viewers.since'),
              cell: ({ firstSeen }) => <Time at={firstSeen} text={duration(firstSeen, viewers.at())} />,
            },
            { label: ta('people.address'), cell: (viewer) => <code>{viewer.ipAddress}</code> },
            {
              label: ta('people.agent'),
              wide: true,
              title: (viewer) => viewer.userAgent,
              cell: (viewer) => agentName(viewer.userAgent) || '–',
            },
          ]}
        />
      </ListView>
    </section>
  );
}

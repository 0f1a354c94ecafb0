/** How many watched when, and who is watching right now. */
import './insight.css';
import { type JSX, Show } from 'solid-js';
import { Skeleton } from '../../design/Feedback.tsx';
import { Time } from '../../design/Time.tsx';
import { ta } from '../../i18n/admin.ts';
import { duration, number } from '../../i18n/format.ts';
import type { AdminStatus } from '../../wire.ts';
import { agentName } from '../chat/addresses.ts';
import { DataTable } from '../lists/DataTable.tsx';
import { ListView } from '../lists/ListView.tsx';
import { listOfPolled } from '../lists/source.ts';
import { createPolled } from '../polled.ts';
import { AudienceOverTime } from './AudienceOverTime.tsx';
import type { CurrentViewer } from './wire.ts';

const VIEWERS_INTERVAL_MS = 5_000;

export function ViewerInfo(props: { status?: AdminStatus }): JSX.Element {
  return (
    <>
      <section class="card">
        <h2 class="visually-hidden">{ta('viewers.numbers')}</h2>
        <Show when={props.status} fallback={<Skeleton lines={2} />}>
          {(status) => (
            <dl class="facts">
              <Fact label={ta('home.live.now')} value={status().viewerCount} />
              <Show when={status().streamState !== 'offline'}>
                <Fact label={ta('home.live.peak')} value={status().sessionPeakViewerCount} />
              </Show>
              <Fact label={ta('home.live.record')} value={status().overallPeakViewerCount} />
            </dl>
          )}
        </Show>
      </section>
      <AudienceOverTime />
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

/** Every broadcast this server remembers, newest first. */
import { createResource, createSignal, type JSX, Show } from 'solid-js';
import { api } from '../../api.ts';
import { StateTag } from '../../design/StateTag.tsx';
import { Time } from '../../design/Time.tsx';
import { ta } from '../../i18n/admin.ts';
import { dateTime, number, stopwatch } from '../../i18n/format.ts';
import { Link } from '../../router.tsx';
import type { PastStream } from '../../wire.ts';
import { DataTable } from '../lists/DataTable.tsx';
import { ListView } from '../lists/ListView.tsx';
import { listOfResource } from '../lists/source.ts';
import { BASE, STREAMS } from './address.ts';
import { Downloads } from './Downloads.tsx';

/** As many as the server lists unless it is asked for more. */
const AT_ONCE = 50;

export function StreamList(): JSX.Element {
  const [count, setCount] = createSignal(AT_ONCE);
  const resource = createResource(
    () => (count() === AT_ONCE ? STREAMS : `${STREAMS}?limit=${count()}`),
    (path) => api.get<PastStream[]>(path),
  );
  const list = listOfResource(resource, (streams) => streams);
  const hasMore = () => (list.entries()?.length ?? 0) >= count();
  return (
    <section class="card">
      <ListView
        list={list}
        lines={6}
        empty={{ icon: 'clock', title: ta('streams.empty.title'), text: ta('streams.empty.text') }}
      >
        <DataTable
          rows={list.entries() ?? []}
          data={({ id }) => ({ 'data-id': id })}
          columns={[
            {
              label: ta('streams.title'),
              heading: true,
              wide: true,
              cell: ({ id, title }) => (
                <strong>
                  <Link href={`${BASE}/${id}`}>{title || ta('streams.untitled')}</Link>
                </strong>
              ),
            },
            {
              label: ta('streams.started'),
              cell: ({ startedAt }) => <Time at={startedAt} text={dateTime(startedAt)} />,
            },
            {
              label: ta('streams.duration'),
              cell: ({ startedAt, endedAt }) => (
                <Show when={endedAt} fallback={<StateTag state="live" />}>
                  {(end) => stopwatch(startedAt, end())}
                </Show>
              ),
            },
            { label: ta('streams.peak'), cell: ({ peakViewers }) => number(peakViewers) },
          ]}
        />
        <Show when={hasMore()}>
          <p>
            <button type="button" class="button" onClick={() => setCount(count() + AT_ONCE)}>
              {ta('streams.more')}
            </button>
          </p>
        </Show>
        <Downloads label={ta('streams.export.list')} path={STREAMS} />
      </ListView>
    </section>
  );
}

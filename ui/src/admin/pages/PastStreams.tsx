/** Every broadcast this server remembers, newest first. */
import { createResource, For, type JSX, Match, Show, Switch } from 'solid-js';
import { api } from '../../api.ts';
import { EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { StateTag } from '../../design/StateTag.tsx';
import { ta } from '../../i18n/admin.ts';
import { dateTime, number, stopwatch } from '../../i18n/format.ts';
import type { PastStream } from '../../wire.ts';
import { explain } from '../session.ts';

export function PastStreams(): JSX.Element {
  const [streams, { refetch }] = createResource(() => api.get<PastStream[]>('/api/admin/streams'));
  return (
    <section class="card">
      <Switch fallback={<Skeleton lines={6} />}>
        <Match when={streams.error}>
          <LoadError title={ta('error.load')} text={explain(streams.error)} onRetry={() => void refetch()} />
        </Match>
        <Match when={streams()?.length === 0}>
          <EmptyState icon="clock" title={ta('streams.empty.title')}>
            <p>{ta('streams.empty.text')}</p>
          </EmptyState>
        </Match>
        <Match when={streams()}>{(list) => <StreamTable streams={list()} />}</Match>
      </Switch>
    </section>
  );
}

function StreamTable(props: { streams: PastStream[] }): JSX.Element {
  return (
    <section class="table-frame" tabindex="0" aria-label={ta('nav.streams')}>
      <table class="table stream-table table-stacked">
        <thead>
          <tr>
            <th scope="col">{ta('streams.started')}</th>
            <th scope="col">{ta('streams.title')}</th>
            <th scope="col">{ta('streams.duration')}</th>
            <th scope="col">{ta('streams.peak')}</th>
          </tr>
        </thead>
        <tbody>
          <For each={props.streams}>
            {(stream) => (
              <tr>
                <td>
                  <time datetime={stream.startedAt}>{dateTime(stream.startedAt)}</time>
                </td>
                <td class="stream-title" data-label={ta('streams.title')}>
                  <Show when={stream.title} fallback={<span class="muted">{ta('streams.untitled')}</span>}>
                    {stream.title}
                  </Show>
                </td>
                <td data-label={ta('streams.duration')}>
                  <Show when={stream.endedAt} fallback={<StateTag state="live" />}>
                    {(end) => stopwatch(stream.startedAt, end())}
                  </Show>
                </td>
                <td data-label={ta('streams.peak')}>{number(stream.peakViewers)}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}

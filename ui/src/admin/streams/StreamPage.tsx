/** One broadcast: how long, for whom, what was said, what went wrong, and where visitors came from. */
import { createMemo, createResource, type JSX, Match, Show, Switch } from 'solid-js';
import { ApiError, api } from '../../api.ts';
import type { StreamDetail } from '../../api-types.d.ts';
import { EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { StateTag } from '../../design/StateTag.tsx';
import { ta } from '../../i18n/admin.ts';
import { timeSpan } from '../../i18n/format.admin.ts';
import { dateTime, decimal, number, stopwatch } from '../../i18n/format.ts';
import { Link } from '../../router.tsx';
import { ChatMessagesChart, type Periods, ViewersChart } from '../charts/AudienceCharts.tsx';
import { explain } from '../session.ts';
import { BASE, chosenStream, STREAMS } from './address.ts';
import { Downloads } from './Downloads.tsx';
import { Incidents } from './Incidents.tsx';
import { Referrers } from './Referrers.tsx';

const NOT_FOUND = 404;

export function StreamPage(): JSX.Element {
  // On the way back to the list there is none for a moment.
  const path = createMemo((before: string) => (chosenStream() ? `${STREAMS}/${chosenStream()}` : before), '');
  const [stream, { refetch }] = createResource(path, (address) => api.get<StreamDetail>(address));
  const isMissing = () => stream.error instanceof ApiError && stream.error.status === NOT_FOUND;
  return (
    <>
      <p>
        <Link class="button" data-look="quiet" data-size="small" href={BASE}>
          {ta('streams.back')}
        </Link>
      </p>
      <Switch
        fallback={
          <section class="card">
            <Skeleton lines={6} />
          </section>
        }
      >
        <Match when={isMissing()}>
          <section class="card">
            <EmptyState icon="clock" title={ta('streams.missing.title')}>
              <p>{ta('streams.missing.text')}</p>
            </EmptyState>
          </section>
        </Match>
        <Match when={stream.error}>
          <section class="card">
            <LoadError title={ta('error.load')} text={explain(stream.error)} onRetry={() => void refetch()} />
          </section>
        </Match>
        <Match when={stream()}>{(found) => <Broadcast stream={found()} path={path()} />}</Match>
      </Switch>
    </>
  );
}

function Broadcast(props: { stream: StreamDetail; path: string }): JSX.Element {
  const end = () => props.stream.endedAt ?? new Date().toISOString();
  const periods = (): Periods => ({
    points: props.stream.points,
    stepSeconds: props.stream.stepSeconds,
    between: [Date.parse(props.stream.startedAt), Date.parse(end())],
  });
  const hasChat = () => props.stream.points.some((point) => point.messages > 0);
  return (
    <>
      <section class="card">
        <header>
          <h2>{props.stream.title || ta('streams.untitled')}</h2>
          <p class="muted small">
            <time datetime={props.stream.startedAt}>{dateTime(props.stream.startedAt)}</time>{' '}
            <Show when={!props.stream.endedAt}>
              <StateTag state="live" />
            </Show>
          </p>
        </header>
        <dl class="facts">
          <Fact label={ta('streams.duration')} value={stopwatch(props.stream.startedAt, end())} />
          <Fact label={ta('streams.peak')} value={number(props.stream.peakViewers)} />
          <Fact label={ta('streams.average')} value={known(props.stream.averageViewers, decimal)} />
          <Fact label={ta('streams.watchTime')} value={known(props.stream.watchSeconds, timeSpan)} />
          <Fact label={ta('streams.messages')} value={known(props.stream.messages, number)} />
          <Fact label={ta('streams.chatters')} value={known(props.stream.chatters, number)} />
        </dl>
        <Show when={props.stream.averageViewers === null}>
          <p class="muted small">{ta('streams.uncounted')}</p>
        </Show>
      </section>
      <section class="card">
        <ViewersChart {...periods()} />
        <Show when={props.stream.points.length > 0}>
          <Downloads label={ta('streams.export.viewers')} path={`${props.path}/viewers`} />
        </Show>
        <Show when={hasChat()}>
          <ChatMessagesChart {...periods()} />
        </Show>
        <Show
          when={props.stream.isChatLogExported}
          fallback={
            <p class="muted small">
              {ta('streams.export.chat.off')} <Link href="/admin/config-chat">{ta('nav.chat')}</Link>
            </p>
          }
        >
          <Downloads label={ta('streams.export.chat')} path={`${props.path}/chat`} />
          <p class="muted small">{ta('streams.export.chat.text')}</p>
        </Show>
      </section>
      <Incidents incidents={props.stream.incidents} />
      <Referrers referrers={props.stream.referrers} />
    </>
  );
}

function known(value: number | null, format: (value: number) => string): string {
  return value === null ? '–' : format(value);
}

function Fact(props: { label: string; value: string }): JSX.Element {
  return (
    <div>
      <dt>{props.label}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}

/** The first page inside: what to do to go live, or how it is going. */
import { createResource, For, type JSX, Match, Show, Switch } from 'solid-js';
import { api } from '../../api.ts';
import { CopyField } from '../../design/CopyField.tsx';
import { Banner, EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { ta } from '../../i18n/admin.ts';
import { number } from '../../i18n/format.ts';
import { Link } from '../../router.tsx';
import type { AdminStatus, ServerConfig } from '../../wire.ts';
import { LogList } from '../LogList.tsx';
import { useLogs } from '../logs.ts';
import { explain } from '../session.ts';

/** The port every broadcasting program assumes. */
const DEFAULT_RTMP_PORT = 1935;
const RECENT_LINES = 6;

export function rtmpUrl(hostname: string, port: number): string {
  return `rtmp://${hostname}${port === DEFAULT_RTMP_PORT ? '' : `:${port}`}/live`;
}

export function Home(props: { status?: AdminStatus }): JSX.Element {
  return (
    <div class="home">
      <Show when={props.status?.online ? props.status : undefined}>{(status) => <LiveCard status={status()} />}</Show>
      <BroadcastCard />
      <WatchCard />
      <RecentLogs />
    </div>
  );
}

function LiveCard(props: { status: AdminStatus }): JSX.Element {
  const facts = () => [
    { label: ta('home.live.now'), value: props.status.viewerCount },
    { label: ta('home.live.peak'), value: props.status.sessionPeakViewerCount },
    { label: ta('home.live.record'), value: props.status.overallPeakViewerCount },
  ];
  return (
    <section class="card card-wide">
      <h2>{ta('home.live.title')}</h2>
      <dl class="facts">
        <For each={facts()}>
          {(fact) => (
            <div>
              <dt>{fact.label}</dt>
              <dd>{number(fact.value)}</dd>
            </div>
          )}
        </For>
      </dl>
    </section>
  );
}

function BroadcastCard(): JSX.Element {
  const [config, { refetch }] = createResource(() => api.get<ServerConfig>('/api/admin/serverconfig'));
  return (
    <section class="card">
      <header>
        <h2>{ta('home.broadcast.title')}</h2>
        <p class="muted small">{ta('home.broadcast.text')}</p>
      </header>
      <Switch fallback={<Skeleton />}>
        <Match when={config.error}>
          <LoadError title={ta('error.load')} text={explain(config.error)} onRetry={() => void refetch()} />
        </Match>
        <Match when={config()}>{(loaded) => <Connection config={loaded()} />}</Match>
      </Switch>
    </section>
  );
}

function Connection(props: { config: ServerConfig }): JSX.Element {
  const firstKey = () => props.config.streamKeys[0];
  return (
    <>
      <div class="field">
        <span class="field-label">{ta('home.server')}</span>
        <CopyField label={ta('home.server')} value={rtmpUrl(location.hostname, props.config.rtmpServerPort)} />
      </div>
      <div class="field">
        <span class="field-label">{ta('home.key')}</span>
        <Show when={firstKey()} fallback={<Banner tone="warning">{ta('home.key.none')}</Banner>}>
          {(key) => (
            <CopyField
              label={ta('home.key')}
              value={key().key}
              secret={{ show: ta('editor.keys.show'), hide: ta('editor.keys.hide') }}
            />
          )}
        </Show>
        <p class="field-help">
          {props.config.streamKeyOverridden ? ta('home.key.overridden') : ta('home.key.help')}{' '}
          <Link href="/admin/config/server">{ta('home.key.manage')}</Link>
        </p>
      </div>
    </>
  );
}

function WatchCard(): JSX.Element {
  return (
    <section class="card">
      <header>
        <h2>{ta('home.watch.title')}</h2>
        <p class="muted small">{ta('home.watch.text')}</p>
      </header>
      <div class="field">
        <span class="field-label">{ta('home.watch.page')}</span>
        <CopyField label={ta('home.watch.page')} value={`${location.origin}/`} />
      </div>
    </section>
  );
}

function RecentLogs(): JSX.Element {
  const logs = useLogs();
  return (
    <section class="card card-wide">
      <div class="card-head">
        <h2>{ta('home.logs')}</h2>
        <Link href="/admin/logs">{ta('home.logs.all')}</Link>
      </div>
      <Switch fallback={<Skeleton />}>
        <Match when={logs.lines()?.length}>
          <LogList lines={(logs.lines() ?? []).slice(-RECENT_LINES)} />
        </Match>
        <Match when={logs.lines()}>
          <EmptyState icon="list">
            <p>{ta('logs.empty.text')}</p>
          </EmptyState>
        </Match>
        <Match when={logs.failing()}>
          <LoadError title={ta('error.logs')} onRetry={logs.retry} />
        </Match>
      </Switch>
    </section>
  );
}

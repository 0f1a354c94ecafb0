/** The first page inside: what needs attention, how it is going, or what to do to go live. */
import { createResource, type JSX, Match, Show, Switch } from 'solid-js';
import { api } from '../../api.ts';
import { CopyField } from '../../design/CopyField.tsx';
import { Banner, EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { ta } from '../../i18n/admin.ts';
import { Link } from '../../router.tsx';
import type { AdminStatus, ServerConfig } from '../../wire.ts';
import { AttentionCard } from '../home/AttentionCard.tsx';
import { publicAddress } from '../home/addresses.ts';
import { PreviewCard } from '../home/PreviewCard.tsx';
import { ServerCard } from '../home/ServerCard.tsx';
import { useAttention } from '../home/useAttention.ts';
import { WatchCard } from '../home/WatchCard.tsx';
import { LogList } from '../LogList.tsx';
import { LiveCard } from '../live/LiveCard.tsx';
import { useLogs } from '../logs.ts';
import { usePlugins } from '../plugins/StoppedPlugins.tsx';
import { explain } from '../session.ts';
import { useSettings } from '../settings.tsx';
import { useStream } from '../stream.ts';
import { WrongKey } from '../WrongKey.tsx';

/** The port every broadcasting program assumes. */
const DEFAULT_RTMP_PORT = 1935;
const RECENT_LINES = 6;

export function rtmpUrl(hostname: string, port: number): string {
  return `rtmp://${hostname}${port === DEFAULT_RTMP_PORT ? '' : `:${port}`}/live`;
}

export function Home(props: { status?: AdminStatus }): JSX.Element {
  const stream = useStream();
  const logs = useLogs();
  const plugins = usePlugins();
  const running = () => {
    const now = stream();
    return now && now.state !== 'offline' ? now : undefined;
  };
  const attention = useAttention({ status: () => props.status, stream: running, logs: logs.lines });
  return (
    <div class="home">
      <AttentionCard attention={attention} stopped={plugins.stopped()} />
      <Show when={running()}>
        {(now) => (
          <>
            <LiveCard stream={now()} status={props.status} />
            <PreviewCard />
          </>
        )}
      </Show>
      <BroadcastCard idle={stream()?.state === 'offline'} wrongKeyAt={stream()?.wrongKeyAt} />
      <WatchCard />
      <Show when={attention.upkeep()}>{(upkeep) => <ServerCard upkeep={upkeep()} plugins={plugins.all()} />}</Show>
      <FediverseCard />
      <RecentLogs logs={logs} />
    </div>
  );
}

function BroadcastCard(props: { idle: boolean; wrongKeyAt: string | undefined }): JSX.Element {
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
      <div role="status">
        <Show when={props.idle}>
          <p class="idle">
            <span class="idle-dot" aria-hidden="true" />
            {ta('home.idle')}
          </p>
        </Show>
      </div>
      <Show when={props.idle}>
        <WrongKey at={props.wrongKeyAt} />
      </Show>
    </section>
  );
}

function Connection(props: { config: ServerConfig }): JSX.Element {
  const settings = useSettings();
  const firstKey = () => props.config.streamKeys[0];
  return (
    <>
      <div class="field">
        <span class="field-label">{ta('home.server')}</span>
        <CopyField
          label={ta('home.server')}
          value={rtmpUrl(publicAddress(settings).hostname, props.config.rtmpServerPort)}
        />
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

/** An invitation, for as long as it is not accepted. */
function FediverseCard(): JSX.Element {
  const settings = useSettings();
  return (
    <Show when={settings.find('federation/enable')?.value === false}>
      <section class="card">
        <header>
          <h2>{ta('home.fediverse')}</h2>
          <p class="muted small">{ta('fedi.set.part.text')}</p>
        </header>
        <div class="row">
          <Link class="button" href="/admin/config-federation">
            {ta('home.fediverse.open')}
          </Link>
        </div>
      </section>
    </Show>
  );
}

function RecentLogs(props: { logs: ReturnType<typeof useLogs> }): JSX.Element {
  const logs = props.logs;
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

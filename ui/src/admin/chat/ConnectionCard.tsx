/** How people reach the chat, and what to do when a proxy in front of the server gets in the way. */
import { createResource, For, type JSX, Match, Show, Switch } from 'solid-js';
import { api } from '../../api.ts';
import { CopyBlock } from '../../design/CopyField.tsx';
import { Banner, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { Icon } from '../../design/Icon.tsx';
import { ta } from '../../i18n/admin.ts';
import { number, relativeTime } from '../../i18n/format.ts';
import type { ServerConfig } from '../../wire.ts';
import { createPolled } from '../polled.ts';
import type { ChatConnection } from './wire.ts';

const INTERVAL_MS = 10_000;
/** Where the server listens unless told otherwise. */
const DEFAULT_PORT = 8080;

/** Lines to add, by the name of the proxy; none where it does the right thing by itself. */
export function proxyLines(port: number): { proxy: string; lines: string }[] {
  return [
    {
      proxy: 'nginx',
      lines: [
        'proxy_http_version 1.1;',
        'proxy_set_header Upgrade $http_upgrade;',
        'proxy_set_header Connection "upgrade";',
      ].join('\n'),
    },
    { proxy: 'Caddy', lines: '' },
    {
      proxy: 'Apache',
      lines: [
        `ProxyPass "/" "http://127.0.0.1:${port}/" upgrade=websocket`,
        `ProxyPassReverse "/" "http://127.0.0.1:${port}/"`,
      ].join('\n'),
    },
  ];
}

export function ConnectionCard(): JSX.Element {
  const connection = createPolled<ChatConnection>('/api/admin/chat/connection', INTERVAL_MS);
  return (
    <section class="card">
      <header>
        <h2>{ta('connection.title')}</h2>
        <p class="muted small">{ta('connection.text')}</p>
      </header>
      <Switch fallback={<Skeleton lines={3} />}>
        <Match when={connection.value()}>
          {(now) => (
            <>
              <dl class="facts">
                <Fact label={ta('connection.websockets')} value={number(now().websockets)} />
                <Fact label={ta('connection.fallbacks')} value={number(now().fallbacks)} />
                <Fact label={ta('connection.broken')} value={number(now().brokenUpgrades)} />
              </dl>
              <Show
                when={now().missingHeader}
                fallback={
                  <p class="connection-good">
                    <Icon name="check" />
                    {ta('connection.good')}
                  </p>
                }
              >
                {(header) => <Remedy header={header()} lastAt={now().lastBrokenAt} now={connection.at()} />}
              </Show>
            </>
          )}
        </Match>
        <Match when={connection.failing()}>
          <LoadError title={ta('error.load')} onRetry={() => void connection.refresh()} />
        </Match>
      </Switch>
    </section>
  );
}

function Remedy(props: { header: string; lastAt: string | null; now: string }): JSX.Element {
  const [config] = createResource(() => api.get<ServerConfig>('/api/admin/serverconfig').catch(() => undefined));
  return (
    <>
      <Banner tone="warning">
        <strong>{ta('connection.missing', { header: props.header })}</strong>
        <p>{ta('connection.missing.text')}</p>
        <Show when={props.lastAt}>
          {(at) => <p class="muted small">{ta('connection.last', { when: relativeTime(at(), props.now) })}</p>}
        </Show>
      </Banner>
      <For each={proxyLines(config()?.webServerPort ?? DEFAULT_PORT)}>
        {(one) => (
          <div class="field">
            <span class="field-label">{one.proxy}</span>
            <Show when={one.lines} fallback={<p class="field-help">{ta('connection.nothing')}</p>}>
              <CopyBlock label={one.proxy} value={one.lines} />
              <p class="field-help">{one.proxy === 'nginx' ? ta('connection.nginx') : ta('connection.apache')}</p>
            </Show>
          </div>
        )}
      </For>
    </>
  );
}

function Fact(props: { label: string; value: string }): JSX.Element {
  return (
    <div>
      <dt>{props.label}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}

/** The public page: what is on, or when it was last. */
import { createEffect, createSignal, type JSX, Match, onMount, Show, Switch } from 'solid-js';
import { api } from '../api.ts';
import { LoadError, Skeleton } from '../design/Feedback.tsx';
import { t } from '../i18n/index.ts';
import { usePolling } from '../poll.ts';
import type { SiteConfig, Status, ViewerBoot } from '../wire.ts';
import { Details } from './Details.tsx';
import { Footer, Header } from './Frame.tsx';
import { Stage } from './Stage.tsx';

const STATUS_INTERVAL_MS = 5_000;

export function Viewer(props: { boot?: ViewerBoot }): JSX.Element {
  const [config, setConfig] = createSignal<SiteConfig | undefined>(props.boot?.config);
  const [status, setStatus] = createSignal<Status | undefined>(props.boot?.status);
  const [failed, setFailed] = createSignal(false);
  const [lost, setLost] = createSignal(false);

  const load = async () => {
    setFailed(false);
    try {
      const [nextConfig, nextStatus] = await Promise.all([
        api.get<SiteConfig>('/api/config'),
        api.get<Status>('/api/status'),
      ]);
      setConfig(nextConfig);
      setStatus(nextStatus);
    } catch {
      setFailed(true);
    }
  };

  onMount(() => {
    if (!props.boot) void load();
  });

  usePolling({
    ask: () => api.get<Status>('/api/status'),
    onAnswer: (answer) => {
      // A new start of the stream is when an operator has most likely changed the texts too.
      if (answer.online !== status()?.online) void api.get<SiteConfig>('/api/config').then(setConfig, () => {});
      setStatus(answer);
    },
    onTrouble: setLost,
    intervalMs: STATUS_INTERVAL_MS,
  });

  createEffect(() => {
    const site = config();
    const now = status();
    if (!site || !now) return;
    document.title = now.online && now.streamTitle ? `${now.streamTitle} · ${site.name}` : site.name;
  });

  const loaded = () => {
    const site = config();
    const now = status();
    return site && now ? { site, now } : undefined;
  };

  return (
    <Switch>
      <Match when={loaded()}>
        {(page) => (
          <div class="viewer">
            <a class="skip-link" href="#main">
              {t('common.skip')}
            </a>
            <Header config={page().site} online={page().now.online} />
            <main id="main" tabindex="-1">
              <Stage config={page().site} status={page().now} />
              <Details config={page().site} />
            </main>
            <Footer version={page().now.versionNumber} />
            <div class="connection-note" role="status">
              <Show when={lost()}>
                <span>{t('viewer.lost')}</span>
              </Show>
            </div>
          </div>
        )}
      </Match>
      <Match when={failed()}>
        <main class="viewer-waiting">
          <LoadError title={t('viewer.failed.title')} text={t('viewer.failed.text')} onRetry={() => void load()} />
        </main>
      </Match>
      <Match when={true}>
        <main class="viewer-waiting">
          <Skeleton lines={6} />
        </main>
      </Match>
    </Switch>
  );
}

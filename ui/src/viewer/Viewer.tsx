/** The public page: what is on, or when it was last. */
import { type JSX, Match, Show, Switch } from 'solid-js';
import { LoadError, Skeleton } from '../design/Feedback.tsx';
import { t } from '../i18n/index.ts';
import type { ViewerBoot } from '../wire.ts';
import { Details } from './Details.tsx';
import { Footer, Header } from './Frame.tsx';
import { Stage } from './Stage.tsx';
import { createSite } from './site.ts';

export function Viewer(props: { boot?: ViewerBoot }): JSX.Element {
  const site = createSite(props.boot);
  return (
    <Switch>
      <Match when={site.loaded()}>
        {(page) => (
          <div class="viewer">
            <a class="skip-link" href="#main">
              {t('common.skip')}
            </a>
            <Header config={page().config} state={page().status.streamState} />
            <main id="main" tabindex="-1">
              <Stage config={page().config} status={page().status} />
              <Details config={page().config} />
            </main>
            <Footer version={page().status.versionNumber} />
            <div class="connection-note" role="status">
              <Show when={site.lost()}>
                <span>{t('viewer.lost')}</span>
              </Show>
            </div>
          </div>
        )}
      </Match>
      <Match when={site.failed()}>
        <main class="viewer-waiting">
          <LoadError title={t('viewer.failed.title')} text={t('viewer.failed.text')} onRetry={() => void site.load()} />
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

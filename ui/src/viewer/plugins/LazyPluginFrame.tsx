/** What shows HTML of plugins is fetched when there is some to be shown. */
import { createResource, type JSX, Match, Switch } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { LoadError, Skeleton } from '../../design/Feedback.tsx';
import { t } from '../../i18n/index.ts';
import type { FrameContent } from './PluginFrame.tsx';

export function LazyPluginFrame(props: FrameContent): JSX.Element {
  const [loaded, { refetch }] = createResource(() => import('./PluginFrame.tsx'));
  return (
    <Switch fallback={<Skeleton />}>
      <Match when={loaded.error}>
        <LoadError title={t('viewer.failed.title')} onRetry={() => void refetch()} />
      </Match>
      <Match when={loaded()}>{(parts) => <Dynamic component={parts().PluginFrame} {...props} />}</Match>
    </Switch>
  );
}

/** Tabs that plugins add below the player. What shows them is fetched when one is opened. */
import { createMemo, createResource, type JSX, Match, Switch } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { LoadError, Skeleton } from '../../design/Feedback.tsx';
import type { Tab } from '../../design/Tabs.tsx';
import { t } from '../../i18n/index.ts';
import type { PluginTab } from '../../wire.ts';

const isSame = (one: PluginTab[], other: PluginTab[]) => JSON.stringify(one) === JSON.stringify(other);

/** The same tabs for as long as they say the same: a new answer of the server must not empty an open frame. */
export function createPluginTabs(tabs: () => PluginTab[] | undefined): () => Tab[] {
  const known = createMemo(() => tabs() ?? [], [], { equals: isSame });
  return createMemo(() =>
    known().map((tab, index) => ({
      id: `plugin-${index}`,
      label: tab.title,
      content: () => <Opened tab={tab} />,
    })),
  );
}

function Opened(props: { tab: PluginTab }): JSX.Element {
  const [loaded, { refetch }] = createResource(() => import('./TabFrame.tsx'));
  return (
    <Switch fallback={<Skeleton />}>
      <Match when={loaded.error}>
        <LoadError title={t('viewer.failed.title')} onRetry={() => void refetch()} />
      </Match>
      <Match when={loaded()}>{(parts) => <Dynamic component={parts().TabFrame} tab={props.tab} />}</Match>
    </Switch>
  );
}

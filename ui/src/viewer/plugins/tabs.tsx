/** Tabs that plugins add below the player. */
import { createMemo } from 'solid-js';
import type { Tab } from '../../design/Tabs.tsx';
import type { PluginTab } from '../../wire.ts';
import { LazyPluginFrame } from './LazyPluginFrame.tsx';

const isSame = (one: PluginTab[], other: PluginTab[]) => JSON.stringify(one) === JSON.stringify(other);

/** The same tabs for as long as they say the same: a new answer of the server must not empty an open frame. */
export function createPluginTabs(tabs: () => PluginTab[] | undefined): () => Tab[] {
  const known = createMemo(() => tabs() ?? [], [], { equals: isSame });
  return createMemo(() =>
    known().map((tab, index) => ({
      id: `plugin-${index}`,
      label: tab.title,
      content: () => <LazyPluginFrame plugin={tab.plugin} title={tab.title} html={tab.html} />,
    })),
  );
}

/** Tabs as the ARIA practice describes them: one tab stop, arrows move, the panel follows. */
import { createSignal, createUniqueId, For, type JSX, Show } from 'solid-js';

export interface Tab {
  id: string;
  label: string;
  /** How many things wait there; nothing is shown for none. */
  count?: number;
  /** Not for a tab whose panel is elsewhere on the page. */
  content?: () => JSX.Element;
  /** The id of a panel that is elsewhere on the page. */
  panelId?: string;
}

interface TabsProps {
  label: string;
  tabs: Tab[];
  /** The id of the tab in front, where somebody else keeps it; the first one if there is none with it. */
  chosen?: string;
  onChoose?: (id: string) => void;
}

export function Tabs(props: TabsProps): JSX.Element {
  const prefix = createUniqueId();
  const [own, setOwn] = createSignal<string>();
  const chosen = () => props.chosen ?? own();
  const index = () =>
    Math.max(
      0,
      props.tabs.findIndex(({ id }) => id === chosen()),
    );
  const buttons: HTMLButtonElement[] = [];
  const choose = (tab: Tab | undefined) => {
    if (!tab) return;
    setOwn(tab.id);
    props.onChoose?.(tab.id);
  };
  const panelOf = (tab: Tab) => tab.panelId ?? `${prefix}-panel-${tab.id}`;

  const move = (event: KeyboardEvent) => {
    const count = props.tabs.length;
    const targets: Record<string, number> = {
      ArrowRight: (index() + 1) % count,
      ArrowLeft: (index() + count - 1) % count,
      Home: 0,
      End: count - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    choose(props.tabs[target]);
    buttons[target]?.focus();
  };

  return (
    <div class="tabs">
      <div role="tablist" aria-label={props.label} onKeyDown={move}>
        <For each={props.tabs}>
          {(tab, position) => (
            <button
              type="button"
              role="tab"
              id={`${prefix}-tab-${tab.id}`}
              aria-controls={panelOf(tab)}
              aria-selected={position() === index()}
              tabindex={position() === index() ? 0 : -1}
              ref={(button) => {
                buttons[position()] = button;
              }}
              onClick={() => choose(tab)}
            >
              {tab.label} <Show when={tab.count}>{(count) => <span class="tab-count">{count()}</span>}</Show>
            </button>
          )}
        </For>
      </div>
      <For each={props.tabs}>
        {(tab, position) => (
          <Show when={position() === index() && tab.content}>
            {(content) => (
              <div role="tabpanel" id={panelOf(tab)} aria-labelledby={`${prefix}-tab-${tab.id}`}>
                {content()()}
              </div>
            )}
          </Show>
        )}
      </For>
    </div>
  );
}

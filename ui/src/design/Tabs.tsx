/** Tabs as the ARIA practice describes them: one tab stop, arrows move, the panel follows. */
import { createSignal, createUniqueId, For, type JSX, Show } from 'solid-js';

export interface Tab {
  id: string;
  label: string;
  /** How many things wait there; nothing is shown for none. */
  count?: number;
  content: () => JSX.Element;
}

export function Tabs(props: { label: string; tabs: Tab[] }): JSX.Element {
  const prefix = createUniqueId();
  const [chosen, setChosen] = createSignal(0);
  const index = () => Math.min(chosen(), props.tabs.length - 1);
  const buttons: HTMLButtonElement[] = [];

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
    setChosen(target);
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
              aria-controls={`${prefix}-panel-${tab.id}`}
              aria-selected={position() === index()}
              tabindex={position() === index() ? 0 : -1}
              ref={(button) => {
                buttons[position()] = button;
              }}
              onClick={() => setChosen(position())}
            >
              {tab.label} <Show when={tab.count}>{(count) => <span class="tab-count">{count()}</span>}</Show>
            </button>
          )}
        </For>
      </div>
      <For each={props.tabs}>
        {(tab, position) => (
          <Show when={position() === index()}>
            <div role="tabpanel" id={`${prefix}-panel-${tab.id}`} aria-labelledby={`${prefix}-tab-${tab.id}`}>
              {tab.content()}
            </div>
          </Show>
        )}
      </For>
    </div>
  );
}

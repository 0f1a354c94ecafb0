/** One field that leads to every page and every setting; open it from the menu, or with Ctrl-K or Cmd-K. */
import './search.css';
import { createEffect, createMemo, createSignal, createUniqueId, For, type JSX, on, onCleanup, Show } from 'solid-js';
import { Dialog } from '../../design/Dialog.tsx';
import { ta } from '../../i18n/admin.ts';
import { navigate, pathname } from '../../router.tsx';
import { AdminIcon } from '../icons.tsx';
import { useSettings } from '../settings.tsx';
import { type Entry, entriesOf } from './entries.ts';
import { jumpTo } from './jump.ts';
import { search } from './match.ts';

/** More than this nobody reads; one more letter says which. */
const MAX_SHOWN = 30;

/** Opens it from anywhere while the component lives. */
export function useSearchKey(onPress: () => void): void {
  const listen = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    onPress();
  };
  window.addEventListener('keydown', listen);
  onCleanup(() => window.removeEventListener('keydown', listen));
}

/** How the keys are called on this machine. */
export const searchKeys = (): string => (/mac|iphone|ipad/i.test(navigator.platform) ? '⌘ K' : 'Ctrl K');

/** Mounted while it is open, so that it always begins empty. */
export function Palette(props: { onClose: () => void }): JSX.Element {
  const settings = useSettings();
  const id = createUniqueId();
  const [query, setQuery] = createSignal('');
  const [chosen, setChosen] = createSignal(0);
  const entries = createMemo(() => entriesOf(settings, pathname()));
  const found = createMemo(() => search(query(), entries()).slice(0, MAX_SHOWN));
  const optionId = (position: number) => `${id}-${position}`;
  createEffect(on(found, () => setChosen(0), { defer: true }));

  const open = (entry: Entry | undefined) => {
    if (!entry) return;
    // The dialog gives the focus back when it closes; the field takes it after that.
    props.onClose();
    navigate(entry.address);
    if (entry.field) jumpTo(entry.field);
  };

  const move = (event: KeyboardEvent) => {
    // Enter that ends the composition of a character is not meant for us.
    if (event.isComposing) return;
    const count = found().length;
    const targets: Record<string, number> = {
      ArrowDown: (chosen() + 1) % count,
      ArrowUp: (chosen() + count - 1) % count,
    };
    if (event.key === 'Enter') {
      event.preventDefault();
      open(found()[chosen()]);
      return;
    }
    const target = targets[event.key];
    if (target === undefined || count === 0) return;
    event.preventDefault();
    setChosen(target);
    document.getElementById(optionId(target))?.scrollIntoView?.({ block: 'nearest' });
  };

  return (
    <Dialog open wide title={ta('find.title')} onClose={props.onClose}>
      <div class="palette">
        <div class="search-field">
          <AdminIcon name="search" />
          <input
            class="input"
            role="combobox"
            aria-label={ta('find.label')}
            placeholder={ta('find.label')}
            aria-autocomplete="list"
            aria-expanded={found().length > 0}
            aria-controls={`${id}-list`}
            aria-activedescendant={found().length > 0 ? optionId(chosen()) : undefined}
            autocomplete="off"
            spellcheck={false}
            value={query()}
            ref={(input) => queueMicrotask(() => input.focus())}
            onInput={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={move}
          />
        </div>
        <div class="visually-hidden" role="status">
          {query().trim() ? ta('find.count', { count: found().length }) : ''}
        </div>
        <Show when={found().length === 0}>
          <p class="muted">{ta('find.nothing')}</p>
        </Show>
        <div id={`${id}-list`} class="palette-list" role="listbox" aria-label={ta('find.results')}>
          <For each={found()}>
            {(entry, position) => (
              // The field keeps the focus; it moves the choice.
              // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the keys of its options
              // biome-ignore lint/a11y/useFocusableInteractive: the combobox names the active option
              <div
                id={optionId(position())}
                class="palette-option"
                role="option"
                aria-selected={position() === chosen()}
                onClick={() => open(entry)}
                onPointerMove={() => setChosen(position())}
              >
                <span class="palette-label">
                  <strong>{entry.label}</strong>
                  <Show when={entry.group}>
                    <span class="muted small">{entry.group}</span>
                  </Show>
                </span>
                <Show when={entry.help}>
                  <span class="palette-help muted small">{entry.help}</span>
                </Show>
              </div>
            )}
          </For>
        </div>
      </div>
    </Dialog>
  );
}

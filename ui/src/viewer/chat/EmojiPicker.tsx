/** All emoji by pack, with a search. Arrows move through the grid as it is laid out; Escape goes back to the field. */
import { createMemo, createSignal, For, type JSX, onMount, Show } from 'solid-js';
import { t } from '../../i18n/index.ts';
import type { Emoji } from '../../wire.ts';

export interface EmojiPickerProps {
  emoji: Emoji[];
  /** With Shift held down another one follows. */
  onPick: (name: string, isLast: boolean) => void;
  onClose: () => void;
}

interface Pack {
  name: string;
  emoji: Emoji[];
}

/** Packs in the order of their first emoji; those without one come first. */
export function packsOf(emoji: readonly Emoji[], query: string): Pack[] {
  const wanted = query.trim().replaceAll(':', '').toLowerCase();
  const packs = new Map<string, Emoji[]>([['', []]]);
  for (const one of emoji) {
    if (!one.name.toLowerCase().includes(wanted)) continue;
    const pack = packs.get(one.pack ?? '');
    if (pack) pack.push(one);
    else packs.set(one.pack ?? '', [one]);
  }
  return [...packs].map(([name, list]) => ({ name, emoji: list })).filter((pack) => pack.emoji.length > 0);
}

/** The button in the row above or below that is nearest to the side of this one. */
export function inNextRow(buttons: HTMLElement[], from: HTMLElement, direction: 1 | -1): HTMLElement | undefined {
  const top = (button: HTMLElement) => button.getBoundingClientRect().top;
  const left = (button: HTMLElement) => button.getBoundingClientRect().left;
  const beyond = buttons.filter((button) => (top(button) - top(from)) * direction > 1);
  const nearestTop = direction * Math.min(...beyond.map((button) => direction * top(button)));
  const row = beyond.filter((button) => Math.abs(top(button) - nearestTop) <= 1);
  return row.toSorted((one, other) => Math.abs(left(one) - left(from)) - Math.abs(left(other) - left(from)))[0];
}

export function EmojiPicker(props: EmojiPickerProps): JSX.Element {
  let grid: HTMLDivElement | undefined;
  let search: HTMLInputElement | undefined;
  const [query, setQuery] = createSignal('');
  const packs = createMemo(() => packsOf(props.emoji, query()));
  const buttons = () => [...(grid?.querySelectorAll('button') ?? [])];

  onMount(() => {
    // On a phone the keyboard would cover what was just opened.
    const touches = typeof matchMedia === 'function' && matchMedia('(hover: none)').matches;
    if (!touches) search?.focus();
  });

  const onGridKey = (event: KeyboardEvent, now: HTMLButtonElement) => {
    const all = buttons();
    const index = all.indexOf(now);
    const targets: Record<string, () => HTMLElement | undefined> = {
      ArrowRight: () => all[index + 1],
      ArrowLeft: () => all[index - 1],
      ArrowDown: () => inNextRow(all, now, 1),
      ArrowUp: () => inNextRow(all, now, -1) ?? search,
      Home: () => all[0],
      End: () => all.at(-1),
    };
    const target = targets[event.key];
    if (!target) return;
    event.preventDefault();
    target()?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLButtonElement) onGridKey(event, event.target);
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    props.onClose();
  };
  const onSearchKey = (event: KeyboardEvent) => {
    const first = buttons()[0];
    if (event.key === 'ArrowDown') first?.focus();
    else if (event.key === 'Enter' && first) props.onPick(first.title.replaceAll(':', ''), !event.shiftKey);
    else return;
    event.preventDefault();
  };

  return (
    <fieldset class="chat-picker" aria-label={t('chat.emoji')} onKeyDown={onKeyDown}>
      <input
        class="input"
        type="search"
        ref={(element) => {
          search = element;
        }}
        value={query()}
        placeholder={t('chat.emoji.search')}
        aria-label={t('chat.emoji.search')}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={onSearchKey}
      />
      <div
        class="chat-picker-packs"
        ref={(element) => {
          grid = element;
        }}
      >
        <For each={packs()} fallback={<p class="muted small">{t('chat.emoji.none')}</p>}>
          {(pack, packIndex) => (
            <section>
              <Show when={pack.name}>
                <h3>{pack.name}</h3>
              </Show>
              <div class="chat-picker-grid">
                <For each={pack.emoji}>
                  {(one, index) => (
                    <button
                      type="button"
                      title={`:${one.name}:`}
                      aria-label={one.name}
                      // One stop for Tab, arrows for the rest.
                      tabindex={packIndex() === 0 && index() === 0 ? 0 : -1}
                      onClick={(event) => props.onPick(one.name, !event.shiftKey)}
                    >
                      <img src={one.url} alt="" loading="lazy" width="28" height="28" />
                    </button>
                  )}
                </For>
              </div>
            </section>
          )}
        </For>
      </div>
    </fieldset>
  );
}

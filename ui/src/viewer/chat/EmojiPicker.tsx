/**
 * All emoji in groups, with a search: what was used lately, the server's own pictures, Unicode's. One stop for Tab in
 * the grid, arrows move through it as it is laid out; Escape goes back to the field.
 */
import { createEffect, createMemo, createSelector, createSignal, For, type JSX, onMount, Show } from 'solid-js';
import { type Language, language, t } from '../../i18n/index.ts';
import type { Emoji } from '../../wire.ts';
import { type Group, type Pick, packsOf, picksOf, search, unicodeGroups } from './emoji/groups.ts';
import { recentEmoji, rememberEmoji } from './emoji/recent.ts';

export interface EmojiPickerProps {
  /** The server's own. */
  emoji: Emoji[];
  /** What is to be written; with Shift held down another one follows. */
  onPick: (text: string, isLast: boolean) => void;
  onClose: () => void;
}

/** No row has more than half of it. Measuring all of them for each press of a key would be slow. */
const NEIGHBOURS = 160;

type Names = () => Promise<{ groups: [string, string][] }>;

/** Unicode's names, one file per language, fetched when the picker is first opened. */
const NAMES: { [Tag in Language]: Names } = {
  en: () => import('./emoji/unicode.en.ts'),
  de: () => import('./emoji/unicode.de.ts'),
  fr: () => import('./emoji/unicode.fr.ts'),
  es: () => import('./emoji/unicode.es.ts'),
  ar: () => import('./emoji/unicode.ar.ts'),
};

function createUnicodeGroups() {
  const [groups, setGroups] = createSignal<Group[]>([]);
  createEffect(async () => {
    const wanted = language();
    // Without a connection there are the server's own, and the next opening asks again.
    const file = await NAMES[wanted]().catch(() => undefined);
    if (file && wanted === language()) setGroups(unicodeGroups(file.groups));
  });
  return groups;
}

/** The button in the row above or below that is nearest to the side of this one. */
export function inNextRow(buttons: HTMLElement[], from: HTMLElement, direction: 1 | -1): HTMLElement | undefined {
  const index = buttons.indexOf(from);
  const near = buttons.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS);
  const top = (button: HTMLElement) => button.getBoundingClientRect().top;
  const left = (button: HTMLElement) => button.getBoundingClientRect().left;
  const beyond = near.filter((button) => (top(button) - top(from)) * direction > 1);
  const nearestTop = direction * Math.min(...beyond.map((button) => direction * top(button)));
  const row = beyond.filter((button) => Math.abs(top(button) - nearestTop) <= 1);
  return row.toSorted((one, other) => Math.abs(left(one) - left(from)) - Math.abs(left(other) - left(from)))[0];
}

export function EmojiPicker(props: EmojiPickerProps): JSX.Element {
  let place: HTMLDivElement | undefined;
  let field: HTMLInputElement | undefined;
  const [query, setQuery] = createSignal('');
  const unicode = createUnicodeGroups();
  const all = createMemo(() => [...packsOf(props.emoji), ...unicode()]);
  // As it was when the picker opened: nothing moves under the finger.
  const lately = recentEmoji();
  const recent = createMemo<Group>(() => ({
    id: 'recent',
    title: t('chat.emoji.recent'),
    picks: picksOf(lately, all()),
  }));
  const shown = createMemo<Group[]>(() => {
    if (query().trim()) {
      const picks = search(all(), query());
      return picks.length > 0 ? [{ id: 'found', title: '', picks }] : [];
    }
    return recent().picks.length > 0 ? [recent(), ...all()] : all();
  });

  /** The emoji that Tab leads to, by its group and what it writes. */
  const [stop, setStop] = createSignal('');
  const keyOf = (group: Group, pick: Pick) => `${group.id} ${pick.text}`;
  const keys = createMemo(() => new Set(shown().flatMap((group) => group.picks.map((pick) => keyOf(group, pick)))));
  const isStop = createSelector(() => (keys().has(stop()) ? stop() : (keys().values().next().value ?? '')));

  const buttons = () => [...(place?.querySelectorAll('button') ?? [])];
  const pick = (text: string, event: MouseEvent | KeyboardEvent) => {
    rememberEmoji(text);
    props.onPick(text, !event.shiftKey);
  };

  onMount(() => {
    // On a phone the keyboard would cover what was just opened.
    const touches = typeof matchMedia === 'function' && matchMedia('(hover: none)').matches;
    if (!touches) field?.focus();
  });

  const onGridKey = (event: KeyboardEvent, now: HTMLButtonElement) => {
    const list = buttons();
    const index = list.indexOf(now);
    const forward = getComputedStyle(now).direction === 'rtl' ? -1 : 1;
    const targets: Record<string, () => HTMLElement | undefined> = {
      ArrowRight: () => list[index + forward],
      ArrowLeft: () => list[index - forward],
      ArrowDown: () => inNextRow(list, now, 1),
      ArrowUp: () => inNextRow(list, now, -1) ?? field,
      PageDown: () => firstOfGroup(now, 1),
      PageUp: () => firstOfGroup(now, -1),
      Home: () => list[0],
      End: () => list.at(-1),
    };
    const target = targets[event.key];
    if (target) {
      event.preventDefault();
      target()?.focus();
    } else if (event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey) {
      // Letters search, and mean nothing to the player.
      event.stopPropagation();
      field?.focus();
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLButtonElement && place?.contains(event.target)) onGridKey(event, event.target);
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    props.onClose();
  };
  const onSearchKey = (event: KeyboardEvent) => {
    const first = shown()[0]?.picks[0];
    if (event.key === 'ArrowDown') place?.querySelector<HTMLElement>('button[tabindex="0"]')?.focus();
    else if (event.key === 'Enter' && query().trim() && first) pick(first.text, event);
    else if (event.key !== 'Enter') return;
    event.preventDefault();
  };

  const firstOfGroup = (now: Element, direction: 1 | -1) => {
    const sections = [...(place?.querySelectorAll('section') ?? [])];
    const at = sections.findIndex((section) => section.contains(now));
    return sections[at + direction]?.querySelector('button') ?? undefined;
  };
  const goTo = (group: Group) => {
    const section = [...(place?.querySelectorAll('section') ?? [])].find(({ dataset }) => dataset.group === group.id);
    if (!place || !section) return;
    const frame = place;
    section.querySelector('button')?.focus({ preventScroll: true });
    // Not `scrollIntoView`: it would move the page, and the picture with it.
    const toTop = () => {
      frame.scrollTop += section.getBoundingClientRect().top - frame.getBoundingClientRect().top;
    };
    toTop();
    // Those above it get their real height only when they are near.
    requestAnimationFrame(toTop);
  };

  // Keys are heard on the element itself: others listen on the document, as Solid does for `onKeyDown`.
  return (
    <fieldset class="chat-picker" aria-label={t('chat.emoji')} on:keydown={onKeyDown}>
      <input
        class="input"
        type="search"
        ref={(element) => {
          field = element;
        }}
        value={query()}
        placeholder={t('chat.emoji.search')}
        aria-label={t('chat.emoji.search')}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={onSearchKey}
      />
      <Show when={!query().trim() && shown().length > 1}>
        <GroupRow groups={shown().filter(({ title }) => title)} onChoose={goTo} />
      </Show>
      <div
        class="chat-picker-packs"
        ref={(element) => {
          place = element;
        }}
      >
        <For each={shown()} fallback={<p class="muted small">{t('chat.emoji.none')}</p>}>
          {(group) => (
            <section data-group={group.id}>
              <Show when={group.title}>
                <h3>{group.title}</h3>
              </Show>
              <div class="chat-picker-grid">
                <For each={group.picks}>
                  {(one) => (
                    <button
                      type="button"
                      title={one.url ? one.text : one.name}
                      aria-label={one.name}
                      tabindex={isStop(keyOf(group, one)) ? 0 : -1}
                      onFocus={() => setStop(keyOf(group, one))}
                      onClick={(event) => pick(one.text, event)}
                    >
                      <Show when={one.url} fallback={one.text}>
                        {(url) => <img src={url()} alt="" loading="lazy" width="28" height="28" />}
                      </Show>
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

/** One button per group, which leads to its first emoji. Arrows move between them. */
function GroupRow(props: { groups: Group[]; onChoose: (group: Group) => void }): JSX.Element {
  const [at, setAt] = createSignal(0);
  const move = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const list = [...event.currentTarget.querySelectorAll('button')];
    const forward = getComputedStyle(event.currentTarget).direction === 'rtl' ? -1 : 1;
    const steps: Record<string, number> = { ArrowRight: forward, ArrowLeft: -forward };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    list[(at() + step + list.length) % list.length]?.focus();
  };
  return (
    <div class="chat-picker-groups" role="toolbar" aria-label={t('chat.emoji.groups')} onKeyDown={move}>
      <For each={props.groups}>
        {(group, index) => (
          <button
            type="button"
            aria-label={group.title}
            title={group.title}
            tabindex={index() === Math.min(at(), props.groups.length - 1) ? 0 : -1}
            onFocus={() => setAt(index())}
            onClick={() => props.onChoose(group)}
          >
            <Show when={group.picks[0]?.url} fallback={group.picks[0]?.text}>
              {(url) => <img src={url()} alt="" width="20" height="20" />}
            </Show>
          </button>
        )}
      </For>
    </div>
  );
}

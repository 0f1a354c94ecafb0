/** The state of the chat's panel: whether there is a chat, whether it is shown, and when its parts are fetched. */
import { type Accessor, createEffect, createMemo, createSignal, getOwner, onCleanup, runWithOwner } from 'solid-js';
import { createServerClock } from '../../clock.ts';
import { readPreference, writePreference } from '../../storage.ts';
import type { SiteConfig, Status } from '../../wire.ts';
import { isTyping } from '../player/keys.ts';
import type { Room } from './room.ts';
import { isRoomOpen } from './rules.ts';

type Parts = typeof import('./entry.ts') & { room: Room };

/** Narrower than this there is no room for a second column. */
const NARROW = '(width < 60rem)';
/** A server that restarts is back within seconds. */
const LOAD_AGAIN_MS = 3_000;
const HIDDEN = 'chat.hidden';
/** Marks the entry of the browser's history that the chat adds. */
const COVERED = 'rillcastChat';

export interface ChatPanelOptions {
  config: Accessor<SiteConfig>;
  status: Accessor<Status>;
  refreshConfig: () => Promise<SiteConfig>;
}

export function createChatPanelState(options: ChatPanelOptions) {
  const owner = getOwner();
  const [parts, setParts] = createSignal<Parts>();
  const [hidden, setHidden] = createSignal(readPreference(HIDDEN) === 'true');
  const [overlaid, setOverlaid] = createSignal(false);
  const [unseen, setUnseen] = createSignal(0);
  const narrow = createMediaQuery(NARROW);
  const now = createServerClock(() => options.status().serverTime);

  const isOpen = createMemo(() => isRoomOpen(options.config(), options.status(), now()));
  // Once there, it stays and says what happened to it.
  const exists = createMemo<boolean>((before) => before || options.config().chatDisabled === false, false);
  const isShown = createMemo(() => exists() && (narrow() ? overlaid() : !hidden()));

  let timer: ReturnType<typeof setTimeout> | undefined;
  let gone = false;
  onCleanup(() => {
    gone = true;
    clearTimeout(timer);
  });
  const load = async () => {
    try {
      const entry = await import('./entry.ts');
      if (gone) return;
      const environment = entry.browserEnvironment(options.refreshConfig);
      const isCrowded = () => options.status().chatIsCrowded === true;
      const room = runWithOwner(owner, () =>
        entry.createRoom({ config: options.config, isOpen, isCrowded, environment }),
      );
      if (room) setParts({ ...entry, room });
    } catch {
      if (!gone) timer = setTimeout(() => void load(), LOAD_AGAIN_MS);
    }
  };
  let asked = false;
  createEffect(() => {
    if (!exists() || asked) return;
    asked = true;
    void load();
  });

  createEffect(() => {
    const spoken =
      parts()
        ?.room.latest()
        .filter(({ kind }) => kind === 'user').length ?? 0;
    if (isShown()) setUnseen(0);
    else if (spoken > 0) setUnseen((count) => count + spoken);
  });

  // What covers the page is closed by the phone's own way back, as everything there is.
  const cover = (over: boolean) => {
    if (over) history.pushState({ [COVERED]: true }, '');
    else if (history.state?.[COVERED]) history.back();
    setOverlaid(over);
  };
  const onBack = () => setOverlaid(false);
  window.addEventListener('popstate', onBack);
  onCleanup(() => window.removeEventListener('popstate', onBack));

  const toggle = () => {
    if (narrow()) {
      cover(!overlaid());
      return;
    }
    setHidden(!hidden());
    writePreference(HIDDEN, hidden() ? 'true' : null);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && narrow() && overlaid()) cover(false);
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat && !event.defaultPrevented;
    if (event.key.toLowerCase() !== 'c' || !isPlain || isTyping(event) || !exists()) return;
    event.preventDefault();
    toggle();
  };
  document.addEventListener('keydown', onKey);
  onCleanup(() => document.removeEventListener('keydown', onKey));

  return {
    parts,
    exists,
    isOpen,
    isShown,
    isNarrow: narrow,
    /** Over the whole page, as on phones. */
    isOverlaid: () => narrow() && isShown(),
    unseen,
    toggle,
    state: () => parts()?.room.state() ?? (isOpen() ? 'connecting' : 'disabled'),
  };
}

export type ChatPanelState = ReturnType<typeof createChatPanelState>;

function createMediaQuery(query: string): Accessor<boolean> {
  if (typeof matchMedia !== 'function') return () => false;
  const list = matchMedia(query);
  const [matches, setMatches] = createSignal(list.matches);
  const follow = () => setMatches(list.matches);
  list.addEventListener('change', follow);
  onCleanup(() => list.removeEventListener('change', follow));
  return matches;
}

/** The state of the chat's panel: whether there is a chat, where it is, whether it is shown, and when its parts are fetched. */
import {
  type Accessor,
  batch,
  createEffect,
  createMemo,
  createSignal,
  getOwner,
  onCleanup,
  runWithOwner,
} from 'solid-js';
import { createServerClock } from '../../clock.ts';
import { addTexts } from '../../i18n/index.ts';
import { readPreference, writePreference } from '../../storage.ts';
import type { SiteConfig, Status } from '../../wire.ts';
import { isTyping } from '../player/keys.ts';
import type { Room } from './room.ts';
import { isRoomOpen } from './rules.ts';

type Parts = typeof import('./entry.ts') & { room: Room };

/**
 * A window without room for a second column: the chat is a tab below the picture. A phone on its side has that room.
 * The least width of that keeps a small phone upright out, whose keyboard leaves less than a square of the window.
 */
export const STACKED = '(width < 540px), (width < 700px) and (height >= 480px)';
/** A server that restarts is back within seconds. */
const LOAD_AGAIN_MS = 3_000;
export const HIDDEN = 'chat.hidden';
/** The id of the panel's element, which addresses may name. */
const PANEL = 'chat-container';
/** The id of what the chat's tab shows. */
export const CHAT_PANEL_ID = 'chat-panel';
/** The ids of tabs: the chat's own, and the one that is beside it from the start. */
export const CHAT_TAB = 'chat';
const FIRST_DETAILS = 'about';

export interface ChatPanelOptions {
  config: Accessor<SiteConfig>;
  status: Accessor<Status>;
  refreshConfig: () => Promise<SiteConfig>;
}

export function createChatPanelState(options: ChatPanelOptions) {
  const owner = getOwner();
  const [parts, setParts] = createSignal<Parts>();
  const isNamed = location.hash === `#${PANEL}`;
  const [hidden, setHidden] = createSignal(readPreference(HIDDEN) === 'true' && !isNamed);
  /** Whether the chat's tab was chosen rather than another one. */
  const [front, setFront] = createSignal<boolean | undefined>(isNamed || undefined);
  const [details, setDetails] = createSignal(FIRST_DETAILS);
  const [unseen, setUnseen] = createSignal(0);
  const now = createServerClock(() => options.status().serverTime);

  const isOpen = createMemo(() => isRoomOpen(options.config(), options.status(), now()));
  // Once there, it stays and says what happened to it.
  const exists = createMemo<boolean>((before) => before || options.config().chatDisabled === false, false);
  // A closed chat is not what people come for. Once it was in front, only they put something else there.
  const startsInFront = createMemo<boolean>((before) => before || (isOpen() && !hidden()), false);
  const isInFront = () => exists() && (front() ?? startsInFront());

  // Whoever writes goes on writing when the phone is turned.
  const isWriting = () =>
    Boolean(document.activeElement?.closest(`#${PANEL}`)) || Boolean(parts()?.room.draft().trim());
  const stacked = createMediaQuery(STACKED, (matches) => {
    if (matches && !hidden() && isWriting()) setFront(true);
  });
  const isShown = createMemo(() => exists() && (stacked() ? isInFront() : !hidden()));

  let timer: ReturnType<typeof setTimeout> | undefined;
  let gone = false;
  onCleanup(() => {
    gone = true;
    clearTimeout(timer);
  });
  const load = async () => {
    try {
      const entry = await import('./entry.ts');
      // Before the first notice comes in.
      await addTexts(entry.saidTexts);
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

  const toggle = () => {
    if (stacked()) {
      setFront(!isInFront());
      return;
    }
    setHidden(!hidden());
    writePreference(HIDDEN, hidden() ? 'true' : null);
  };
  const chooseTab = (id: string) =>
    batch(() => {
      if (stacked()) setFront(id === CHAT_TAB);
      if (id !== CHAT_TAB) setDetails(id);
    });
  const onKey = (event: KeyboardEvent) => {
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
    /** A tab below the picture, as on phones; otherwise a column beside it. */
    isStacked: stacked,
    /** Which tab is in front. */
    tab: () => (stacked() && isInFront() ? CHAT_TAB : details()),
    chooseTab,
    unseen,
    toggle,
    state: () => parts()?.room.state() ?? (isOpen() ? 'connecting' : 'disabled'),
  };
}

export type ChatPanelState = ReturnType<typeof createChatPanelState>;

/** `onChange` is told first, while the page is still as it was. */
export function createMediaQuery(query: string, onChange: (matches: boolean) => void): Accessor<boolean> {
  if (typeof matchMedia !== 'function') return () => false;
  const list = matchMedia(query);
  const [matches, setMatches] = createSignal(list.matches);
  const follow = () =>
    batch(() => {
      onChange(list.matches);
      setMatches(list.matches);
    });
  list.addEventListener('change', follow);
  onCleanup(() => list.removeEventListener('change', follow));
  return matches;
}

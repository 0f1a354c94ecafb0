/** Where the chat of a past stream is, and whether it is shown: a column beside the picture, or a tab below it. */
import { createMemo, createSignal, onCleanup } from 'solid-js';
import { readPreference, writePreference } from '../../../storage.ts';
import { createMediaQuery, HIDDEN, STACKED } from '../../chat/panel-state.ts';
import { isTyping } from '../../player/keys.ts';

export const CHAT_TAB = 'chat';
const ABOUT_TAB = 'about';

export function createReplayPanel(exists: () => boolean) {
  // Whoever does not want a chat beside the stream does not want it here either.
  const [hidden, setHidden] = createSignal(readPreference(HIDDEN) === 'true');
  const [front, setFront] = createSignal(!hidden());
  const isStacked = createMediaQuery(STACKED, () => {});
  const isShown = createMemo(() => exists() && (isStacked() ? front() : !hidden()));

  const toggle = () => {
    if (isStacked()) {
      setFront(!front());
      return;
    }
    setHidden(!hidden());
    writePreference(HIDDEN, hidden() ? 'true' : null);
  };
  const onKey = (event: KeyboardEvent) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat && !event.defaultPrevented;
    if (event.key.toLowerCase() !== 'c' || !isPlain || isTyping(event) || !exists()) return;
    event.preventDefault();
    toggle();
  };
  document.addEventListener('keydown', onKey);
  onCleanup(() => document.removeEventListener('keydown', onKey));

  return {
    exists,
    isStacked,
    isShown,
    toggle,
    tab: () => (front() ? CHAT_TAB : ABOUT_TAB),
    chooseTab: (id: string) => setFront(id === CHAT_TAB),
  };
}

export type ReplayPanel = ReturnType<typeof createReplayPanel>;

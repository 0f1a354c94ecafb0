/** A moderator's button with the number of lines that wait for approval; not there while none does. */
import { createEffect, createSignal, type JSX, onCleanup, Show } from 'solid-js';
import { t } from '../../i18n/index.ts';
import { startPolling } from '../../poll.ts';
import type { Room } from './room.ts';

export const HELD_INTERVAL_MS = 10_000;

export function HeldButton(props: { room: Room }): JSX.Element {
  const [count, setCount] = createSignal(0);
  createEffect(() => {
    setCount(0);
    if (!props.room.isModerating()) return;
    onCleanup(
      startPolling({
        ask: () => props.room.moderation.held(),
        onAnswer: (held) => setCount(held.length),
        onTrouble: () => {},
        intervalMs: HELD_INTERVAL_MS,
        immediately: true,
      }),
    );
  });
  return (
    <Show when={count() > 0}>
      <button
        type="button"
        class="button chat-held"
        data-size="small"
        onClick={() => props.room.setDialog({ kind: 'held' })}
      >
        {t('chat.held', { count: count() })}
      </button>
    </Show>
  );
}

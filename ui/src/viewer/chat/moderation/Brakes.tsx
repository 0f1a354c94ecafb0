/** For when the chat gets out of hand: who may write, and how often, for everybody at once. */
import { createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import { Skeleton } from '../../../design/Feedback.tsx';
import { startPolling } from '../../../poll.ts';
import type { ChatRestrictions } from '../../../wire.ts';
import { attempt } from '../attempt.ts';
import type { Room } from '../room.ts';
import { tm } from './texts.ts';

/** Somebody else may turn them too. */
const INTERVAL_MS = 10_000;

const SWITCHES = [
  { key: 'paused', label: 'brakes.paused', help: 'brakes.paused.help' },
  { key: 'returningOnly', label: 'brakes.returning', help: 'brakes.returning.help' },
  { key: 'establishedOnly', label: 'brakes.established', help: 'brakes.established.help' },
  { key: 'signedInOnly', label: 'brakes.signedIn', help: 'brakes.signedIn.help' },
  { key: 'holdCopiedMessages', label: 'brakes.copies', help: 'brakes.copies.help' },
] as const;

const SLOW_SECONDS = [0, 5, 10, 30, 60, 120];

export function Brakes(props: { room: Room }): JSX.Element {
  const { moderation } = props.room;
  const [now, setNow] = createSignal<ChatRestrictions>();
  /** An answer from before the last change knows nothing of it. */
  let changes = 0;
  onCleanup(
    startPolling({
      ask: async () => {
        const before = changes;
        const answer = await moderation.restrictions();
        return before === changes ? answer : undefined;
      },
      onAnswer: (answer) => answer && setNow(answer),
      onTrouble: () => {},
      intervalMs: INTERVAL_MS,
      immediately: true,
    }),
  );
  const change = async (what: Partial<ChatRestrictions>) => {
    const before = now();
    if (!before) return;
    setNow({ ...before, ...what });
    changes += 1;
    const isDone = await attempt(moderation.restrict(what));
    changes += 1;
    if (isDone) return;
    // Only this one: others may have been turned meanwhile.
    const back = Object.fromEntries(Object.entries(before).filter(([key]) => key in what));
    setNow((state) => state && { ...state, ...back });
  };
  // The operator may have chosen another number.
  const seconds = (slow: number) => [...new Set([...SLOW_SECONDS, slow])].sort((one, other) => one - other);
  return (
    <Show when={now()} fallback={<Skeleton lines={5} />}>
      {(state) => (
        <div class="moderation-list">
          <p class="muted small">{tm('brakes.text')}</p>
          <For each={SWITCHES}>
            {({ key, label, help }) => (
              <label class="moderation-switch">
                <input
                  type="checkbox"
                  checked={state()[key]}
                  onChange={(event) => void change({ [key]: event.currentTarget.checked })}
                />
                <span class="moderation-facts">
                  {tm(label)}
                  <span class="muted small">{tm(help)}</span>
                </span>
              </label>
            )}
          </For>
          <span aria-hidden="true">{tm('brakes.slow')}</span>
          <fieldset class="segments" aria-label={tm('brakes.slow')}>
            <For each={seconds(state().slowModeSeconds)}>
              {(slow) => (
                <button
                  type="button"
                  aria-pressed={state().slowModeSeconds === slow}
                  onClick={() => void change({ slowModeSeconds: slow })}
                >
                  {slow === 0 ? tm('brakes.slow.off') : tm('brakes.slow.seconds', { count: slow })}
                </button>
              )}
            </For>
          </fieldset>
        </div>
      )}
    </Show>
  );
}

/** The lines that wait for approval, oldest first. */
import { createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import { EmptyState, Skeleton } from '../../../design/Feedback.tsx';
import { dateTime } from '../../../i18n/format.ts';
import { t } from '../../../i18n/index.ts';
import { startPolling } from '../../../poll.ts';
import type { HeldMessage } from '../../../wire.ts';
import { attempt } from '../attempt.ts';
import { Body } from '../Body.tsx';
import { HELD_INTERVAL_MS } from '../HeldButton.tsx';
import { Name } from '../Lines.tsx';
import type { Room } from '../room.ts';

export function HeldList(props: { room: Room }): JSX.Element {
  const [held, setHeld] = createSignal<HeldMessage[]>();
  onCleanup(
    startPolling({
      ask: () => props.room.moderation.held(),
      onAnswer: setHeld,
      onTrouble: () => {},
      intervalMs: HELD_INTERVAL_MS,
      immediately: true,
    }),
  );
  const decide = async (id: string, decision: 'approve' | 'reject') => {
    const done = await attempt(props.room.moderation.decide(id, decision));
    if (done) setHeld((all) => all?.filter((one) => one.id !== id));
  };
  return (
    <Show when={held()} fallback={<Skeleton lines={3} />}>
      {(list) => (
        <ul class="chat-facts-lines">
          <For each={list()} fallback={<EmptyState icon="check">{t('chat.held.none')}</EmptyState>}>
            {(message) => (
              <li>
                <div class="row">
                  <Name user={message.user} />
                  <time class="chat-time" datetime={message.timestamp}>
                    {dateTime(message.timestamp)}
                  </time>
                </div>
                <Body html={message.body} />
                <div class="row">
                  <button
                    type="button"
                    class="button"
                    data-look="primary"
                    data-size="small"
                    onClick={() => void decide(message.id, 'approve')}
                  >
                    {t('chat.held.approve')}
                  </button>
                  <button
                    type="button"
                    class="button"
                    data-look="danger"
                    data-size="small"
                    onClick={() => void decide(message.id, 'reject')}
                  >
                    {t('chat.held.reject')}
                  </button>
                </div>
              </li>
            )}
          </For>
        </ul>
      )}
    </Show>
  );
}

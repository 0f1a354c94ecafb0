/** The lines that wait for approval, oldest first. */
import { createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import { ApiError } from '../../../api.ts';
import { EmptyState, Skeleton } from '../../../design/Feedback.tsx';
import { toast } from '../../../design/toasts.tsx';
import { dateTime } from '../../../i18n/format.ts';
import { t } from '../../../i18n/index.ts';
import { startPolling } from '../../../poll.ts';
import type { HeldMessage } from '../../../wire.ts';
import { attempt } from '../attempt.ts';
import { Body } from '../Body.tsx';
import { HELD_INTERVAL_MS } from '../HeldButton.tsx';
import { Name } from '../Lines.tsx';
import type { Room } from '../room.ts';
import { isModerator } from '../rules.ts';
import { tm } from './texts.ts';

export function HeldList(props: { room: Room }): JSX.Element {
  const [held, setHeld] = createSignal<HeldMessage[]>();
  onCleanup(
    startPolling({
      ask: () => props.room.moderation.held(),
      // The rows of lines that still wait stay as they are, and with them the focus.
      onAnswer: (now) => setHeld((before) => now.map((one) => before?.find(({ id }) => id === one.id) ?? one)),
      onTrouble: () => {},
      intervalMs: HELD_INTERVAL_MS,
      immediately: true,
    }),
  );
  const decide = async (id: string, decision: 'approve' | 'reject') => {
    const done = await attempt(props.room.moderation.decide(id, decision));
    if (done) setHeld((all) => all?.filter((one) => one.id !== id));
  };
  const [busy, setBusy] = createSignal(false);
  /** One after the other, until one of them fails; somebody else may have been faster. */
  const rejectAll = async (list: HeldMessage[]) => {
    setBusy(true);
    for (const { id } of list) {
      const done = await props.room.moderation.decide(id, 'reject').then(
        () => true,
        (problem) => problem instanceof ApiError && problem.status === 400,
      );
      if (!done) {
        toast(t('chat.failed'));
        break;
      }
      setHeld((all) => all?.filter((one) => one.id !== id));
    }
    setBusy(false);
  };
  const by = (userId: string) => (held() ?? []).filter(({ user }) => user.id === userId);
  return (
    <Show when={held()} fallback={<Skeleton lines={3} />}>
      {(list) => (
        <>
          <Show when={list().length > 1}>
            <button
              type="button"
              class="button"
              data-look="danger"
              data-size="small"
              disabled={busy()}
              onClick={() => void rejectAll(list())}
            >
              {tm('held.rejectAll', { count: list().length })}
            </button>
          </Show>
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
                    <Show when={by(message.user.id).length > 1}>
                      <button
                        type="button"
                        class="button"
                        data-size="small"
                        disabled={busy()}
                        onClick={() => void rejectAll(by(message.user.id))}
                      >
                        {tm('held.rejectOf', { name: message.user.displayName })}
                      </button>
                    </Show>
                    <Show when={!isModerator(message.user)}>
                      <button
                        type="button"
                        class="button"
                        data-size="small"
                        aria-label={tm('held.ban', { name: message.user.displayName })}
                        onClick={() => props.room.setDialog({ kind: 'ban', user: message.user })}
                      >
                        {t('chat.ban')}
                      </button>
                    </Show>
                  </div>
                </li>
              )}
            </For>
          </ul>
        </>
      )}
    </Show>
  );
}

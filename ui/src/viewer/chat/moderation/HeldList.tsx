/** The lines that wait for approval, oldest first. */
import { createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import { ApiError } from '../../../api.ts';
import { EmptyState, Skeleton } from '../../../design/Feedback.tsx';
import { toast } from '../../../design/toasts.tsx';
import { dateTime } from '../../../i18n/format.ts';
import { t } from '../../../i18n/index.ts';
import { startPolling } from '../../../poll.ts';
import type { ChatUser, HeldMessage } from '../../../wire.ts';
import { attempt } from '../attempt.ts';
import { Body } from '../Body.tsx';
import { HELD_INTERVAL_MS } from '../HeldButton.tsx';
import { Name } from '../Lines.tsx';
import type { Room } from '../room.ts';
import { isModerator } from '../rules.ts';
import { SanctionDialog } from './SanctionDialog.tsx';
import { tm } from './texts.ts';

export function HeldList(props: { room: Room }): JSX.Element {
  const [held, setHeld] = createSignal<HeldMessage[]>();
  const [toBan, setToBan] = createSignal<ChatUser>();
  let entries: HTMLUListElement | undefined;
  /** The first of them that is there; an entry as a whole, to be read before it is decided. */
  const focusFirst = (among: Element[]) => {
    const next = among.find((entry) => entry.isConnected) ?? entries?.lastElementChild;
    ((held()?.length ? next : entries) as HTMLElement | undefined)?.focus();
  };
  /** Another list; where it takes away the entry with the focus, the next one has it. */
  const change = (next: HeldMessage[]) => {
    const before = [...(entries?.children ?? [])];
    const at = before.findIndex((entry) => entry.contains(document.activeElement));
    setHeld(next);
    if (at !== -1 && !before[at]?.isConnected) focusFirst(before.slice(at));
  };
  const remove = (id: string) => change((held() ?? []).filter((one) => one.id !== id));
  const ask = () => props.room.moderation.held();
  // The rows of lines that still wait stay as they are, and with them the focus.
  const onAnswer = (now: HeldMessage[]) => change(now.map((one) => held()?.find(({ id }) => id === one.id) ?? one));
  onCleanup(
    startPolling({
      ask,
      onAnswer,
      onTrouble: () => {},
      intervalMs: HELD_INTERVAL_MS,
      immediately: true,
    }),
  );
  const decide = async (id: string, decision: 'approve' | 'reject') => {
    const done = await attempt(props.room.moderation.decide(id, decision));
    if (done) remove(id);
  };
  /** The lines of whoever is banned may be gone with the ban. */
  const afterBan = () => {
    setToBan(undefined);
    void ask().then(onAnswer, () => {});
  };
  const [busy, setBusy] = createSignal(false);
  /** One after the other, until one of them fails; somebody else may have been faster. */
  const rejectAll = async (list: HeldMessage[]) => {
    const hasFocus = () => entries?.parentElement?.contains(document.activeElement);
    const hadFocus = hasFocus();
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
      remove(id);
    }
    setBusy(false);
    // The pressed button was switched off meanwhile, or is gone.
    if (hadFocus && !hasFocus()) focusFirst([...(entries?.children ?? [])]);
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
          <ul
            class="chat-facts-lines"
            tabindex="-1"
            ref={(element) => {
              entries = element;
            }}
          >
            <For each={list()} fallback={<EmptyState icon="check">{t('chat.held.none')}</EmptyState>}>
              {(message) => (
                <li tabindex="-1">
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
                        onClick={() => setToBan(message.user)}
                      >
                        {t('chat.ban')}
                      </button>
                    </Show>
                  </div>
                </li>
              )}
            </For>
          </ul>
          <Show when={toBan()}>
            {(user) => <SanctionDialog room={props.room} kind="ban" user={user()} onClose={afterBan} />}
          </Show>
        </>
      )}
    </Show>
  );
}

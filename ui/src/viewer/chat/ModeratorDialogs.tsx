/** What a moderator opens: everything about one person, and the lines that wait. */
import { createResource, createSignal, createUniqueId, For, type JSX, onMount, Show } from 'solid-js';
import { Dialog } from '../../design/Dialog.tsx';
import { LoadError, Skeleton } from '../../design/Feedback.tsx';
import { dateTime } from '../../i18n/format.ts';
import { t } from '../../i18n/index.ts';
import type { ChatUser, ChatUserDetails } from '../../wire.ts';
import { attempt } from './attempt.ts';
import { Body } from './Body.tsx';
import { Badges, Name } from './Lines.tsx';
import { HeldList } from './moderation/HeldList.tsx';
import type { Room } from './room.ts';

interface PersonDialogProps {
  room: Room;
  user: ChatUser;
  onClose: () => void;
}

export function UserDialog(props: PersonDialogProps): JSX.Element {
  const [details, { refetch }] = createResource(() => props.room.moderation.details(props.user.id));
  return (
    <Dialog open title={props.user.displayName} onClose={props.onClose}>
      <Show when={!details.error} fallback={<LoadError title={t('chat.failed')} onRetry={() => void refetch()} />}>
        <Show when={details.latest} fallback={<Skeleton lines={5} />}>
          {(known) => <Details room={props.room} details={known()} onChange={() => void refetch()} />}
        </Show>
      </Show>
      <CloseRow onClose={props.onClose} />
    </Dialog>
  );
}

function Details(props: { room: Room; details: ChatUserDetails; onChange: () => void }): JSX.Element {
  const linesId = createUniqueId();
  const user = () => props.details.user;
  const formerNames = () => user().previousNames.filter((name) => name !== user().displayName);
  /** What was just hidden. The way back is here: notes lie behind the dialog, where nothing can be pressed. */
  const [hidden, setHidden] = createSignal<string[]>([]);
  const hideAll = async () => {
    const ids = props.details.messages.filter(({ hiddenAt }) => !hiddenAt).map(({ id }) => id);
    if (ids.length === 0 || !(await attempt(props.room.moderation.hide(ids)))) return;
    setHidden(ids);
    props.onChange();
  };
  const undo = async () => {
    if (!(await attempt(props.room.moderation.show(hidden())))) return;
    setHidden([]);
    props.onChange();
  };
  const canHide = () => props.details.messages.some(({ hiddenAt }) => !hiddenAt);
  return (
    <div class="stack">
      <dl class="chat-facts">
        <dt>{t('chat.about.name')}</dt>
        <dd class="row">
          <Name user={user()} />
          <Badges user={user()} />
        </dd>
        <dt>{t('chat.about.since')}</dt>
        <dd>{dateTime(user().createdAt)}</dd>
        <Show when={formerNames().length > 0}>
          <dt>{t('chat.about.names')}</dt>
          <dd>{formerNames().join(', ')}</dd>
        </Show>
        <Show when={user().mutedUntil}>
          {(until) => (
            <>
              <dt>{t('chat.about.muted')}</dt>
              <dd>{dateTime(until())}</dd>
            </>
          )}
        </Show>
        <For each={props.details.connectedClients}>
          {(client) => (
            <>
              <dt>{t('chat.about.connected')}</dt>
              <dd>
                {dateTime(client.connectedAt)}
                <span class="muted small chat-agent">{client.userAgent}</span>
              </dd>
            </>
          )}
        </For>
      </dl>
      <div class="row chat-facts-head">
        <h3 id={linesId}>{t('chat.about.lines', { count: props.details.messages.length })}</h3>
        <Show when={canHide() && hidden().length === 0}>
          <button type="button" class="button" data-look="danger" data-size="small" onClick={() => void hideAll()}>
            {t('chat.about.hideAll')}
          </button>
        </Show>
        <span role="status">{hidden().length > 0 && t('chat.about.hidden')}</span>
        <Show when={hidden().length > 0}>
          <button
            type="button"
            class="button"
            data-size="small"
            // Whoever came by keyboard goes on where the other button was.
            ref={(button) => onMount(() => button.focus())}
            onClick={() => void undo()}
          >
            {t('chat.undo')}
          </button>
        </Show>
      </div>
      {/* Long lists are scrolled, also by keyboard. */}
      <ul class="chat-facts-lines" tabindex="0" aria-labelledby={linesId}>
        <For each={props.details.messages}>
          {(message) => (
            <li>
              <time class="chat-time" datetime={message.timestamp}>
                {dateTime(message.timestamp)}
              </time>
              <Body html={message.body} />
            </li>
          )}
        </For>
      </ul>
    </div>
  );
}

export function HeldDialog(props: { room: Room; onClose: () => void }): JSX.Element {
  return (
    <Dialog open title={t('chat.held.title')} onClose={props.onClose}>
      <HeldList room={props.room} />
      <CloseRow onClose={props.onClose} />
    </Dialog>
  );
}

function CloseRow(props: { onClose: () => void }): JSX.Element {
  return (
    <div class="dialog-actions">
      <button type="button" class="button" onClick={() => props.onClose()}>
        {t('common.close')}
      </button>
    </div>
  );
}

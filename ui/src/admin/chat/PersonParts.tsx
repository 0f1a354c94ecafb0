/** What is known about a person: dates, names, connections, and what they wrote. */
import { For, type JSX, Show } from 'solid-js';
import { Skeleton } from '../../design/Feedback.tsx';
import { Icon } from '../../design/Icon.tsx';
import { ta } from '../../i18n/admin.ts';
import { dateTime, logTime, relativeTime } from '../../i18n/format.ts';
import { agentName } from './addresses.ts';
import { MessageBody } from './MessageBody.tsx';
import { type ChatUser, type Client, formerNames, type StoredMessage } from './wire.ts';

/** As many of their messages as one reads to form an opinion. */
const RECENT = 20;

export function Facts(props: { user: ChatUser; now: string; clients: Client[] }): JSX.Element {
  const isMuted = () => Date.parse(props.user.mutedUntil ?? '') > Date.parse(props.now);
  return (
    <dl class="person-facts">
      <Fact label={ta('person.since')}>
        <time datetime={props.user.createdAt} title={dateTime(props.user.createdAt)}>
          {dateTime(props.user.createdAt)} ({relativeTime(props.user.createdAt, props.now)})
        </time>
      </Fact>
      <Fact label={ta('person.names')}>
        <Show when={formerNames(props.user).length > 0} fallback={<span class="muted">{ta('person.names.none')}</span>}>
          <bdi>{formerNames(props.user).join(', ')}</bdi>
        </Show>
      </Fact>
      <Show when={props.user.authProviders?.length}>
        <Fact label={ta('person.identity')}>{props.user.authProviders?.join(', ')}</Fact>
      </Show>
      <Show when={isMuted()}>
        <Fact label={ta('person.mutedUntil')}>{dateTime(props.user.mutedUntil ?? '')}</Fact>
      </Show>
      <Show when={props.user.disabledAt}>
        {(since) => <Fact label={ta('person.bannedSince')}>{dateTime(since())}</Fact>}
      </Show>
      <Show when={props.user.disabledAt && props.user.disabledUntil}>
        {(until) => <Fact label={ta('person.bannedUntil')}>{dateTime(until())}</Fact>}
      </Show>
      <Fact label={ta('person.connections')}>
        <For each={props.clients} fallback={<span class="muted">{ta('person.connections.none')}</span>}>
          {(client) => (
            <div title={client.userAgent}>
              <code>{client.ipAddress}</code> {agentName(client.userAgent)}
            </div>
          )}
        </For>
      </Fact>
    </dl>
  );
}

function Fact(props: { label: string; children: JSX.Element }): JSX.Element {
  return (
    <div>
      <dt>{props.label}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

export interface RecentMessagesProps {
  /** Absent while it is being asked for. */
  messages?: StoredMessage[];
  busy: boolean;
  onVisibility: (ids: string[], visible: boolean) => void;
}

export function RecentMessages(props: RecentMessagesProps): JSX.Element {
  const visible = () => (props.messages ?? []).filter((message) => !message.hiddenAt).map((message) => message.id);
  return (
    <section class="stack-tight">
      <div class="card-head">
        <h3>{ta('person.messages', { count: props.messages?.length ?? 0 })}</h3>
        <Show when={visible().length > 0}>
          <button
            type="button"
            class="button"
            data-size="small"
            disabled={props.busy}
            onClick={() => props.onVisibility(visible(), false)}
          >
            <Icon name="eye-off" />
            {ta('person.messages.hideAll')}
          </button>
        </Show>
      </div>
      <Show when={props.messages} fallback={<Skeleton lines={3} />}>
        {(messages) => (
          <ul class="person-messages">
            <For
              each={messages().slice(0, RECENT)}
              fallback={<li class="muted small">{ta('person.messages.none')}</li>}
            >
              {(message) => (
                <li data-hidden={message.hiddenAt ? 'true' : undefined}>
                  <time class="muted small" datetime={message.timestamp}>
                    {logTime(message.timestamp)}
                  </time>
                  <MessageBody html={message.body} />
                  <Show
                    when={!message.deletedAt}
                    fallback={<span class="muted small">{ta('messages.isDeleted')}</span>}
                  >
                    <VisibilityButton
                      hidden={Boolean(message.hiddenAt)}
                      disabled={props.busy}
                      onToggle={() => props.onVisibility([message.id], Boolean(message.hiddenAt))}
                    />
                  </Show>
                </li>
              )}
            </For>
          </ul>
        )}
      </Show>
    </section>
  );
}

export function VisibilityButton(props: { hidden: boolean; disabled?: boolean; onToggle: () => void }): JSX.Element {
  const label = () => (props.hidden ? ta('messages.show') : ta('messages.hide'));
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label()}
      title={label()}
      disabled={props.disabled}
      onClick={() => props.onToggle()}
    >
      <Icon name={props.hidden ? 'eye' : 'eye-off'} />
    </button>
  );
}

/** A person as the chat shows them: the name in its colour, and what is to know at a glance. */
import { type JSX, Show } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { type ChatUser, isBanned, isModerator } from './wire.ts';

/** Who wrote something; the name of somebody who is gone is gone too. */
export function Author(props: { user: ChatUser | null; onOpen: (user: ChatUser) => void }): JSX.Element {
  return (
    <Show when={props.user} fallback={<span class="muted">{ta('person.unknown')}</span>}>
      {(user) => <Name user={user()} onOpen={props.onOpen} />}
    </Show>
  );
}

export function Name(props: { user: ChatUser; onOpen?: (user: ChatUser) => void }): JSX.Element {
  return (
    <Show when={props.onOpen} fallback={<NameText user={props.user} />}>
      {(open) => (
        <button
          type="button"
          class="chat-name-button"
          title={ta('person.open', { name: props.user.displayName })}
          onClick={() => open()(props.user)}
        >
          <NameText user={props.user} />
        </button>
      )}
    </Show>
  );
}

function NameText(props: { user: ChatUser }): JSX.Element {
  return (
    <bdi class="chat-name" data-color={props.user.displayColor}>
      {props.user.displayName}
    </bdi>
  );
}

/** `now` decides whether a mute still holds. */
export function Badges(props: { user: ChatUser; now: string }): JSX.Element {
  const isMuted = () => Date.parse(props.user.mutedUntil ?? '') > Date.parse(props.now);
  return (
    <>
      <Show when={isModerator(props.user)}>
        <span class="badge">{ta('badge.moderator')}</span>
      </Show>
      <Show when={props.user.isBot}>
        <span class="badge">{ta('badge.bot')}</span>
      </Show>
      <Show when={props.user.authenticated}>
        <span class="badge">{ta('badge.signedIn')}</span>
      </Show>
      <Show when={isMuted()}>
        <span class="badge" data-tone="warning">
          {ta('badge.muted')}
        </span>
      </Show>
      <Show when={isBanned(props.user)}>
        <span class="badge" data-tone="error">
          {ta('badge.banned')}
        </span>
      </Show>
    </>
  );
}

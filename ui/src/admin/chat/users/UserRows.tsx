/** A short list of people with one thing to do to each; the frame of the banned and the moderators. */
import { createSignal, For, type JSX, Match, type Resource, Show, Switch } from 'solid-js';
import { EmptyState, LoadError, Skeleton } from '../../../design/Feedback.tsx';
import type { IconName } from '../../../design/Icon.tsx';
import { ta } from '../../../i18n/admin.ts';
import { explain } from '../../session.ts';
import { Name } from '../Name.tsx';
import type { ChatUser } from '../wire.ts';

export interface UserRowsProps {
  users: Resource<ChatUser[]>;
  /** What stands beside the name. */
  detail: (user: ChatUser) => string;
  action: { label: string; run: (user: ChatUser) => Promise<unknown> };
  empty: { icon: IconName; title: string; text: string };
  onOpen: (user: ChatUser) => void;
  onRetry: () => void;
}

export function UserRows(props: UserRowsProps): JSX.Element {
  return (
    <Switch fallback={<Skeleton />}>
      <Match when={props.users.error}>
        <LoadError title={ta('error.load')} text={explain(props.users.error)} onRetry={props.onRetry} />
      </Match>
      <Match when={props.users.latest?.length}>
        <ul class="user-rows">
          <For each={props.users.latest}>
            {(user) => <UserRow user={user} detail={props.detail(user)} action={props.action} onOpen={props.onOpen} />}
          </For>
        </ul>
      </Match>
      <Match when={props.users.latest}>
        <EmptyState icon={props.empty.icon} title={props.empty.title}>
          <p>{props.empty.text}</p>
        </EmptyState>
      </Match>
    </Switch>
  );
}

export function UserRow(props: {
  user: ChatUser;
  detail?: string;
  action: UserRowsProps['action'];
  onOpen?: (user: ChatUser) => void;
}): JSX.Element {
  const [busy, setBusy] = createSignal(false);
  const run = async () => {
    setBusy(true);
    await props.action.run(props.user);
    setBusy(false);
  };
  return (
    <li data-id={props.user.id}>
      <Name user={props.user} onOpen={props.onOpen} />
      <Show when={props.detail}>
        <span class="muted small">{props.detail}</span>
      </Show>
      <button
        type="button"
        class="button"
        data-size="small"
        disabled={busy()}
        aria-label={`${props.action.label}: ${props.user.displayName}`}
        onClick={() => void run()}
      >
        {props.action.label}
      </button>
    </li>
  );
}

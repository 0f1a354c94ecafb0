/** A short list of people with one thing to do to each; the frame of the banned and the moderators. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { ListView, type ListViewProps } from '../../lists/ListView.tsx';
import type { ListSource } from '../../lists/source.ts';
import { Name } from '../Name.tsx';
import type { ChatUser } from '../wire.ts';

export interface UserRowsProps {
  users: ListSource<ChatUser>;
  /** What stands beside the name. */
  detail: (user: ChatUser) => string;
  action: { label: string; run: (user: ChatUser) => Promise<unknown> };
  empty: ListViewProps['empty'];
  onOpen: (user: ChatUser) => void;
}

export function UserRows(props: UserRowsProps): JSX.Element {
  return (
    <ListView list={props.users} empty={props.empty}>
      <ul class="user-rows">
        <For each={props.users.entries()}>
          {(user) => <UserRow user={user} detail={props.detail(user)} action={props.action} onOpen={props.onOpen} />}
        </For>
      </ul>
    </ListView>
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

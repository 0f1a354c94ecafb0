/** The dialogs of the chat, in the container themes know. What few open is fetched when it is opened. */
import './dialogs.css';
import { createComputed, type JSX, Match, on, Switch } from 'solid-js';
import { Toasts } from '../../design/toasts.tsx';
import { fetchParts } from '../fediverse/parts.tsx';
import { lazyComponent } from './lazy-component.tsx';
import { NameDialog } from './NameDialog.tsx';
import type { Room, RoomDialog } from './room.ts';

const SignInDialog = lazyComponent(async () => (await fetchParts()).SignInDialog);
const BanDialog = lazyComponent(async () => (await import('./ModeratorDialogs.tsx')).BanDialog);
const UserDialog = lazyComponent(async () => (await import('./ModeratorDialogs.tsx')).UserDialog);
const HeldDialog = lazyComponent(async () => (await import('./ModeratorDialogs.tsx')).HeldDialog);

export function Dialogs(props: { room: Room }): JSX.Element {
  let opener: Element | null = null;
  createComputed(
    on(props.room.dialog, (dialog) => {
      if (dialog) opener = document.activeElement;
    }),
  );
  const close = () => {
    props.room.setDialog(undefined);
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
  };
  const open = <Kind extends RoomDialog['kind']>(kind: Kind) => {
    const dialog = props.room.dialog();
    return dialog?.kind === kind ? (dialog as Extract<RoomDialog, { kind: Kind }>) : undefined;
  };
  return (
    <div id="modal-container">
      <Switch>
        <Match when={open('name')}>
          <NameDialog room={props.room} onClose={close} />
        </Match>
        <Match when={open('sign-in')}>
          <SignInDialog room={props.room} onClose={close} />
        </Match>
        <Match when={open('ban')}>
          {(dialog) => <BanDialog room={props.room} user={dialog().user} onClose={close} />}
        </Match>
        <Match when={open('user')}>
          {(dialog) => <UserDialog room={props.room} user={dialog().user} onClose={close} />}
        </Match>
        <Match when={open('held')}>
          <HeldDialog room={props.room} onClose={close} />
        </Match>
      </Switch>
      <Toasts />
    </div>
  );
}

/** The dialogs of the chat, in the container themes know. What few open is fetched when it is opened. */
import './dialogs.css';
import { createComputed, type JSX, Match, on, onMount, Switch } from 'solid-js';
import { Toasts } from '../../design/toasts.tsx';
import { fetchParts } from '../fediverse/parts.tsx';
import { invitationHere } from './invitation.ts';
import { lazyComponent } from './lazy-component.tsx';
import { fetchModeration } from './moderation/parts.ts';
import { NameDialog } from './NameDialog.tsx';
import type { Room, RoomDialog } from './room.ts';

const SignInDialog = lazyComponent(async () => (await fetchParts()).SignInDialog);
const SanctionDialog = lazyComponent(async () => (await fetchModeration()).SanctionDialog);
const ModerationPanel = lazyComponent(async () => (await fetchModeration()).ModerationPanel);
const InvitationDialog = lazyComponent(async () => (await fetchModeration()).InvitationDialog);
const UserDialog = lazyComponent(async () => (await import('./ModeratorDialogs.tsx')).UserDialog);
const HeldDialog = lazyComponent(async () => {
  // Its texts are there.
  await fetchModeration();
  return (await import('./ModeratorDialogs.tsx')).HeldDialog;
});

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
  const invite = () => void props.room.setDialog({ kind: 'invitation' });
  onMount(() => {
    if (invitationHere()) invite();
  });
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
          <SignInDialog room={props.room} onClose={invitationHere() ? invite : close} />
        </Match>
        <Match when={open('ban') ?? open('timeout')}>
          {(dialog) => <SanctionDialog room={props.room} kind={dialog().kind} user={dialog().user} onClose={close} />}
        </Match>
        <Match when={open('moderation')}>
          <ModerationPanel room={props.room} onClose={close} />
        </Match>
        <Match when={open('invitation')}>
          <InvitationDialog room={props.room} onClose={close} />
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

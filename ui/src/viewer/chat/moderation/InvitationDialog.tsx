/** Somebody was invited to moderate: what that is, who they are, and their yes. */
import { createSignal, type JSX, Match, onMount, Show, Switch } from 'solid-js';
import { ApiError, api } from '../../../api.ts';
import { Dialog } from '../../../design/Dialog.tsx';
import { Banner } from '../../../design/Feedback.tsx';
import { toast } from '../../../design/toasts.tsx';
import { forgetInvitation, invitationHere } from '../invitation.ts';
import type { Room } from '../room.ts';
import { canSignIn, isModerator } from '../rules.ts';
import { tm } from './texts.ts';

/** As the server answers. */
const NOT_SIGNED_IN = 409;
const NOT_VALID = 403;

export function InvitationDialog(props: { room: Room; onClose: () => void }): JSX.Element {
  const { room } = props;
  const [busy, setBusy] = createSignal(false);
  const [isVoid, setVoid] = createSignal(false);
  const [error, setError] = createSignal<string>();
  const [isRefused, setRefused] = createSignal(false);
  // In a closed room the page does not know who one is; the server does.
  onMount(() => void room.register());
  const mustSignIn = () => isRefused() || room.me()?.authenticated === false;

  const leave = () => {
    forgetInvitation();
    props.onClose();
  };
  const accept = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const query = new URLSearchParams({ accessToken: room.token() ?? (await room.register()) ?? '' });
      await api.post(`/api/chat/invitations/accept?${query}`, { token: invitationHere() ?? '' });
      leave();
      toast(tm('invitation.done'));
      // An open chat is told by the server; one that is not, or missed it, comes in as who one is now.
      if (!isModerator(room.me())) room.reconnect();
    } catch (problem) {
      const status = problem instanceof ApiError ? problem.status : 0;
      if (status === NOT_SIGNED_IN) setRefused(true);
      else if (status === NOT_VALID) setVoid(true);
      else setError(tm('chat.failed'));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog open title={tm('invitation.title')} onClose={leave}>
      <Switch>
        <Match when={isModerator(room.me())}>
          <p>{tm('invitation.already')}</p>
          <Actions onClose={leave} close={tm('common.close')} />
        </Match>
        <Match when={isVoid()}>
          <Banner tone="error">{tm('invitation.void')}</Banner>
          <Actions onClose={leave} close={tm('common.close')} />
        </Match>
        <Match when={mustSignIn() && !canSignIn(room.config())}>
          <p>{tm('invitation.text', { name: room.config().name })}</p>
          <Banner tone="warning">{tm('invitation.impossible')}</Banner>
          <Actions onClose={leave} close={tm('common.close')} />
        </Match>
        <Match when={mustSignIn()}>
          <p>{tm('invitation.text', { name: room.config().name })}</p>
          <p>{tm('invitation.signIn')}</p>
          <Actions onClose={leave} close={tm('invitation.decline')}>
            <button
              type="button"
              class="button"
              data-look="primary"
              onClick={() => room.setDialog({ kind: 'sign-in' })}
            >
              {tm('chat.signIn')}
            </button>
          </Actions>
        </Match>
        <Match when={true}>
          <p>{tm('invitation.text', { name: room.config().name })}</p>
          <Show when={room.me()}>{(me) => <p>{tm('invitation.as', { name: me().displayName })}</p>}</Show>
          <div class="field-error" role="alert">
            {error()}
          </div>
          <Actions onClose={leave} close={tm('invitation.decline')}>
            <button
              type="button"
              class="button"
              data-look="primary"
              disabled={busy() || room.state() === 'connecting'}
              aria-busy={busy()}
              onClick={() => void accept()}
            >
              {tm('invitation.accept')}
            </button>
          </Actions>
        </Match>
      </Switch>
    </Dialog>
  );
}

function Actions(props: { onClose: () => void; close: string; children?: JSX.Element }): JSX.Element {
  return (
    <div class="dialog-actions">
      <button type="button" class="button" onClick={() => props.onClose()}>
        {props.close}
      </button>
      {props.children}
    </div>
  );
}

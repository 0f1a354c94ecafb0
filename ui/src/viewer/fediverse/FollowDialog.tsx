/** How to follow: the address to look for, or one's own account, whose server then asks the rest. */
import { createSignal, type JSX, Show } from 'solid-js';
import { api } from '../../api.ts';
import { CopyField } from '../../design/CopyField.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Icon } from '../../design/Icon.tsx';
import { TextField } from '../../design/TextField.tsx';
import { readPreference, writePreference } from '../../storage.ts';
import { accountOf, complaint, hostOf, webAddress } from './account.ts';
import { tf } from './texts.ts';

/** Whoever followed once need not write their account again. */
const REMEMBERED = 'fediverse.account';

export interface FollowDialogProps {
  /** name@host */
  account: string;
  /** Of the stream. */
  name: string;
  onClose: () => void;
}

export function FollowDialog(props: FollowDialogProps): JSX.Element {
  const [account, setAccount] = createSignal(readPreference(REMEMBERED) ?? '');
  const [error, setError] = createSignal<string>();
  const [busy, setBusy] = createSignal(false);
  const [target, setTarget] = createSignal<{ address: string; isOpened: boolean }>();
  const address = () => `@${props.account.replace(/^@/, '')}`;

  const go = async () => {
    const own = accountOf(account());
    setTarget(undefined);
    if (!own) return setError(tf('fediverse.account.invalid'));
    setBusy(true);
    setError(undefined);
    try {
      const { redirectUrl } = await api.post<{ redirectUrl: string }>('/api/remotefollow', { account: own });
      const found = webAddress(redirectUrl);
      if (!found) return setError(tf('chat.failed'));
      writePreference(REMEMBERED, own);
      // The stream goes on here. A browser that waited long for the answer allows no new tab: the link is the way then.
      const tab = window.open(found, '_blank');
      if (tab) tab.opener = null;
      setTarget({ address: found, isOpened: tab !== null });
    } catch (problem) {
      setError(complaint(problem));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog open title={tf('follow.title', { name: props.name })} onClose={props.onClose}>
      <p class="muted">
        {tf('follow.text')} {tf('follow.what')}
      </p>
      <form
        class="stack"
        novalidate
        onSubmit={(event) => {
          event.preventDefault();
          void go();
        }}
      >
        <TextField
          label={tf('fediverse.account')}
          value={account()}
          onInput={setAccount}
          error={error()}
          help={tf('fediverse.account.help')}
          autocomplete="username"
          autofocus
        />
        <div role="status">
          <Show when={target()}>
            {(found) => (
              <p>
                {tf(found().isOpened ? 'follow.opened' : 'follow.blocked')}{' '}
                <a href={found().address} target="_blank" rel="noopener noreferrer">
                  {tf(found().isOpened ? 'follow.open' : 'follow.open.self', { host: hostOf(found().address) })}
                </a>
              </p>
            )}
          </Show>
        </div>
        <button type="submit" class="button" data-look="primary" disabled={busy()} aria-busy={busy()}>
          <Icon name="external" />
          {tf(busy() ? 'follow.busy' : 'follow.go')}
        </button>
      </form>
      <div class="field">
        <span class="field-label">{tf('follow.address')}</span>
        <CopyField label={tf('follow.address')} value={address()} />
        <p class="field-help">{tf('follow.address.help')}</p>
      </div>
      <div class="dialog-actions">
        <button type="button" class="button" data-look="quiet" onClick={() => props.onClose()}>
          {tf('common.close')}
        </button>
      </div>
    </Dialog>
  );
}

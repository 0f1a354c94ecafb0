/** Two steps: where the code is sent, and the code that came. */
import { createSignal, createUniqueId, type JSX, Show } from 'solid-js';
import { ApiError, api } from '../../api.ts';
import { TextField } from '../../design/TextField.tsx';
import { toast } from '../../design/toasts.tsx';
import { accountOf, complaint } from '../fediverse/account.ts';
import { tf } from '../fediverse/texts.ts';
import type { Room } from './room.ts';

const DIGITS = 6;

export function CodeSignIn(props: { room: Room; onClose: () => void }): JSX.Element {
  /** Where a code is on its way to. */
  const [account, setAccount] = createSignal<string>();
  const ask = (path: string, body: object) =>
    api.post(`${path}?${new URLSearchParams({ accessToken: props.room.token() ?? '' })}`, body);

  const request = async (to: string) => {
    await ask('/api/auth/fediverse', { account: to });
    setAccount(to);
  };
  const verify = async (code: string) => {
    await ask('/api/auth/fediverse/verify', { code });
    props.onClose();
    toast(tf('signIn.done'));
    // The room greets with who one is from now on.
    props.room.reconnect();
  };

  return (
    <Show when={account()} fallback={<AskForCode request={request} onClose={props.onClose} />} keyed>
      {(to) => <EnterCode account={to} verify={verify} onBack={() => setAccount(undefined)} />}
    </Show>
  );
}

function AskForCode(props: { request: (account: string) => Promise<void>; onClose: () => void }): JSX.Element {
  const [typed, setTyped] = createSignal('');
  const [error, setError] = createSignal<string>();
  const [busy, setBusy] = createSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    const account = accountOf(typed());
    if (!account) return setError(tf('fediverse.account.invalid'));
    setBusy(true);
    setError(undefined);
    try {
      await props.request(account);
    } catch (problem) {
      setError(complaint(problem));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="stack" novalidate onSubmit={(event) => void submit(event)}>
      <p class="muted">{tf('signIn.code.text')}</p>
      <TextField
        label={tf('fediverse.account')}
        value={typed()}
        onInput={setTyped}
        error={error()}
        help={tf('fediverse.account.help')}
        autocomplete="username"
        autofocus
      />
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => props.onClose()}>
          {tf('chat.cancel')}
        </button>
        <button type="submit" class="button" data-look="primary" disabled={busy()} aria-busy={busy()}>
          {tf(busy() ? 'signIn.code.sending' : 'signIn.code.send')}
        </button>
      </div>
    </form>
  );
}

function EnterCode(props: {
  account: string;
  verify: (code: string) => Promise<void>;
  onBack: () => void;
}): JSX.Element {
  const id = createUniqueId();
  const [code, setCode] = createSignal('');
  const [error, setError] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (code().length !== DIGITS) return setError(tf('signIn.code.short', { count: DIGITS }));
    setBusy(true);
    setError('');
    try {
      await props.verify(code());
    } catch (problem) {
      const isWrong = problem instanceof ApiError && (problem.status === 403 || problem.status === 401);
      setError(isWrong ? tf('signIn.code.wrong') : complaint(problem));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="stack" novalidate onSubmit={(event) => void submit(event)}>
      <p role="status">{tf('signIn.code.sent', { account: `@${props.account}` })}</p>
      <div class="field">
        <label class="field-label" for={id}>
          {tf('signIn.code')}
        </label>
        <input
          id={id}
          class="input sign-in-code"
          inputmode="numeric"
          autocomplete="one-time-code"
          value={code()}
          aria-invalid={error() ? 'true' : undefined}
          aria-describedby={`${id}-help ${id}-error`}
          ref={(input) => queueMicrotask(() => input.focus())}
          onInput={(event) => {
            // A code is often copied with the words around it.
            const digits = event.currentTarget.value.replace(/\D/g, '').slice(0, DIGITS);
            event.currentTarget.value = digits;
            setCode(digits);
          }}
        />
        <p class="field-help" id={`${id}-help`}>
          {tf('signIn.code.help')}
        </p>
        <div class="field-error" id={`${id}-error`} role="alert">
          {error()}
        </div>
      </div>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => props.onBack()}>
          {tf('signIn.code.back')}
        </button>
        <button type="submit" class="button" data-look="primary" disabled={busy()} aria-busy={busy()}>
          {tf('signIn.code.verify')}
        </button>
      </div>
    </form>
  );
}

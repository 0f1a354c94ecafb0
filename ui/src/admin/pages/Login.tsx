import { createSignal, type JSX, onMount, Show } from 'solid-js';
import { ApiError } from '../../api.ts';
import { Banner, Skeleton } from '../../design/Feedback.tsx';
import { TextField } from '../../design/TextField.tsx';
import { ta } from '../../i18n/admin.ts';
import { navigate } from '../../router.tsx';
import { SignInFrame } from '../SignInFrame.tsx';
import { enter, explain, loadSession, signIn, signInByLink } from '../session.ts';

export function Login(): JSX.Element {
  const [password, setPassword] = createSignal('');
  const [error, setError] = createSignal('');
  const [busy, setBusy] = createSignal(false);

  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    try {
      await signIn(password());
    } catch (problem) {
      const wrong = problem instanceof ApiError && problem.status === 401;
      setError(wrong ? ta('login.wrong') : explain(problem));
    } finally {
      setBusy(false);
    }
  };

  return (
    <SignInFrame title={ta('login.title')} lead={ta('login.lead')}>
      <form class="stack" onSubmit={submit}>
        {/* Password managers want to know whose password it is. */}
        <input type="text" name="username" value="admin" autocomplete="username" readonly hidden />
        <TextField
          label={ta('login.password')}
          type="password"
          autocomplete="current-password"
          value={password()}
          error={error()}
          required
          autofocus
          onInput={setPassword}
        />
        <button type="submit" class="button" data-look="primary" disabled={busy()}>
          {busy() ? ta('login.busy') : ta('login.submit')}
        </button>
      </form>
      <p class="muted small">{ta('login.forgot')}</p>
      <p class="muted small">{ta('login.locked')}</p>
    </SignInFrame>
  );
}

/** Somebody came by a link that was made on the console; it is used up at once. */
export function LinkLogin(props: { token: string }): JSX.Element {
  const [error, setError] = createSignal('');

  onMount(() => {
    signInByLink(props.token).then(
      () => {
        navigate('/admin/', 'replace');
        enter();
      },
      (problem) => setError(explain(problem)),
    );
  });

  return (
    <Show
      when={error()}
      fallback={
        <SignInFrame title={ta('login.busy')}>
          <Skeleton />
        </SignInFrame>
      }
    >
      <SignInFrame title={ta('link.refused')}>
        <Banner tone="warning">
          <p>{error()}</p>
        </Banner>
        <div class="row">
          <a class="button" href="/admin">
            {ta('link.leave')}
          </a>
        </div>
      </SignInFrame>
    </Show>
  );
}

/** Nobody has a password yet, and this visitor does not hold the link. */
export function FinishSetup(): JSX.Element {
  return (
    <SignInFrame title={ta('finish.title')} lead={ta('finish.lead')}>
      <Banner>
        <p>{ta('finish.text')}</p>
      </Banner>
      <p class="muted small">{ta('finish.lost')}</p>
      <div class="row">
        <button type="button" class="button" onClick={() => void loadSession()}>
          {ta('finish.again')}
        </button>
      </div>
    </SignInFrame>
  );
}

/** First run: one link, one password, and what may be said already. What follows is in `../setup/`. */
import { batch, createSignal, type JSX, Match, onMount, Show, Switch } from 'solid-js';
import { ApiError } from '../../api.ts';
import { Banner, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { TextField } from '../../design/TextField.tsx';
import { ta } from '../../i18n/admin.ts';
import { navigate } from '../../router.tsx';
import { NewPassword } from '../NewPassword.tsx';
import { MIN_PASSWORD_LENGTH } from '../password.ts';
import { SignInFrame } from '../SignInFrame.tsx';
import { checkSetupLink, enter, explain, loadSession, sendSetup } from '../session.ts';
import { StepList } from '../setup/StepList.tsx';
import { addressOfStep } from '../setup/steps.ts';

export function Setup(props: { token: string; open: boolean }): JSX.Element {
  return (
    <Show when={props.open && props.token} keyed fallback={<LinkRefused />}>
      {(token) => <CheckedSetup token={token} />}
    </Show>
  );
}

/** The link is checked before anybody fills in a form for nothing. */
function CheckedSetup(props: { token: string }): JSX.Element {
  const [link, setLink] = createSignal<'checking' | 'valid' | 'refused'>('checking');
  const [failure, setFailure] = createSignal('');

  const check = async () => {
    setFailure('');
    try {
      await checkSetupLink(props.token);
      setLink('valid');
    } catch (problem) {
      if (problem instanceof ApiError && problem.status === 401) setLink('refused');
      else setFailure(explain(problem));
    }
  };
  onMount(() => void check());

  return (
    <Switch>
      <Match when={link() === 'valid'}>
        <SetupForm token={props.token} onRefused={() => setLink('refused')} />
      </Match>
      <Match when={link() === 'refused'}>
        <LinkRefused />
      </Match>
      <Match when={failure()}>
        <SignInFrame title={ta('setup.title')}>
          <LoadError title={ta('error.load')} text={failure()} onRetry={() => void check()} />
        </SignInFrame>
      </Match>
      <Match when={true}>
        <SignInFrame title={ta('setup.checking')}>
          <Skeleton />
        </SignInFrame>
      </Match>
    </Switch>
  );
}

function LinkRefused(): JSX.Element {
  const leave = () => {
    navigate('/admin/', 'replace');
    void loadSession();
  };
  return (
    <SignInFrame title={ta('setup.refused.title')}>
      <Banner tone="warning">
        <p>{ta('setup.refused.text')}</p>
      </Banner>
      <p class="muted">{ta('setup.refused.next')}</p>
      <div class="row">
        <button type="button" class="button" data-look="primary" onClick={leave}>
          {ta('setup.refused.leave')}
        </button>
      </div>
    </SignInFrame>
  );
}

/** The address in the browser's bar, unless it is one that only this machine or network understands. */
export function publicOrigin(address: Pick<Location, 'origin' | 'hostname'>): string {
  const isAddress = /^[\d.]+$/.test(address.hostname) || address.hostname.includes(':');
  const isLocalName = !address.hostname.includes('.') || /\.(local|lan|internal|home\.arpa)$/.test(address.hostname);
  return isAddress || isLocalName ? '' : address.origin;
}

function SetupForm(props: { token: string; onRefused: () => void }): JSX.Element {
  const [name, setName] = createSignal('');
  const [password, setPassword] = createSignal('');
  const [repeat, setRepeat] = createSignal('');
  const [serverUrl, setServerUrl] = createSignal(publicOrigin(location));
  const [errors, setErrors] = createSignal<{ password?: string; repeat?: string; form?: string }>({});
  const [busy, setBusy] = createSignal(false);

  const check = () => {
    if ([...password()].length < MIN_PASSWORD_LENGTH) return { password: ta('password.tooShort') };
    if (password() !== repeat()) return { repeat: ta('password.differ') };
    return {};
  };

  const submit = async (event: Event) => {
    event.preventDefault();
    const found = check();
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    try {
      await sendSetup({
        token: props.token,
        password: password(),
        name: name().trim() || undefined,
        serverUrl: serverUrl().trim() || undefined,
      });
      // In one step, or the page would show for a moment that the link has been used.
      batch(() => {
        navigate(addressOfStep('address'), 'replace');
        enter();
      });
    } catch (problem) {
      if (problem instanceof ApiError && problem.status === 401) props.onRefused();
      else setErrors({ form: explain(problem) });
    } finally {
      setBusy(false);
    }
  };

  return (
    <SignInFrame title={ta('setup.title')} lead={ta('setup.lead')} size="wide">
      <StepList now="account" />
      <form class="stack" onSubmit={submit} novalidate>
        <TextField
          label={ta('setting.name.label')}
          value={name()}
          help={ta('setup.name.help')}
          autofocus
          onInput={setName}
        />
        <NewPassword
          password={password()}
          repeat={repeat()}
          help={ta('setup.password.help')}
          passwordError={errors().password}
          repeatError={errors().repeat}
          onPassword={setPassword}
          onRepeat={setRepeat}
        />
        <TextField
          label={ta('setup.url.label')}
          type="url"
          value={serverUrl()}
          help={ta('setup.url.help')}
          onInput={setServerUrl}
        />
        <Show when={errors().form}>
          <Banner tone="error">{errors().form}</Banner>
        </Show>
        <button type="submit" class="button" data-look="primary" disabled={busy()}>
          {busy() ? ta('setup.busy') : ta('setup.submit')}
        </button>
      </form>
    </SignInFrame>
  );
}

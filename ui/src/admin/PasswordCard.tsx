import { createSignal, type JSX } from 'solid-js';
import { ApiError, api } from '../api.ts';
import { TextField } from '../design/TextField.tsx';
import { toast } from '../design/toasts.tsx';
import { ta } from '../i18n/admin.ts';
import { NewPassword } from './NewPassword.tsx';
import { MIN_PASSWORD_LENGTH } from './password.ts';
import { explain } from './session.ts';

/** The one setting that does not save by itself: half a password must never become the password. */
export function PasswordCard(): JSX.Element {
  const [current, setCurrent] = createSignal('');
  const [password, setPassword] = createSignal('');
  const [repeat, setRepeat] = createSignal('');
  const [errors, setErrors] = createSignal<{ current?: string; password?: string; repeat?: string }>({});
  const [busy, setBusy] = createSignal(false);

  const submit = async (event: Event) => {
    event.preventDefault();
    if ([...password()].length < MIN_PASSWORD_LENGTH) return setErrors({ password: ta('password.tooShort') });
    if (password() !== repeat()) return setErrors({ repeat: ta('password.differ') });
    setBusy(true);
    setErrors({});
    try {
      await api.post('/api/admin/config/adminpass', { current: current(), value: password() });
      setCurrent('');
      setPassword('');
      setRepeat('');
      toast(ta('password.changed'));
    } catch (problem) {
      const isWrong = problem instanceof ApiError && problem.code === 'wrong-password';
      setErrors({ [isWrong ? 'current' : 'password']: explain(problem) });
    } finally {
      setBusy(false);
    }
  };

  return (
    <section class="card" data-setting="adminpass">
      <header>
        <h2>{ta('password.title')}</h2>
        <p class="muted small">{ta('password.text')}</p>
      </header>
      <form class="stack" onSubmit={submit} novalidate>
        <TextField
          label={ta('password.current')}
          type="password"
          autocomplete="current-password"
          required
          value={current()}
          help={ta('password.current.help')}
          error={errors().current}
          onInput={setCurrent}
        />
        <NewPassword
          password={password()}
          repeat={repeat()}
          passwordError={errors().password}
          repeatError={errors().repeat}
          onPassword={setPassword}
          onRepeat={setRepeat}
        />
        <div class="row">
          <button type="submit" class="button" data-look="primary" disabled={busy()}>
            {ta('password.submit')}
          </button>
        </div>
      </form>
    </section>
  );
}

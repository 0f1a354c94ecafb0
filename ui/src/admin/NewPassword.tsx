/** A new password, twice, with a hint how good it is. Used at setup and for changing it later. */
import { type JSX, Show } from 'solid-js';
import { TextField } from '../design/TextField.tsx';
import { type AdminKey, ta } from '../i18n/admin.ts';
import { strengthOf } from './password.ts';

export interface NewPasswordProps {
  password: string;
  repeat: string;
  help?: string;
  passwordError?: string;
  repeatError?: string;
  onPassword: (value: string) => void;
  onRepeat: (value: string) => void;
}

export function NewPassword(props: NewPasswordProps): JSX.Element {
  const strength = () => strengthOf(props.password);
  return (
    <>
      <input type="text" name="username" value="admin" autocomplete="username" readonly hidden />
      <TextField
        label={ta('password.new')}
        type="password"
        autocomplete="new-password"
        required
        value={props.password}
        error={props.passwordError}
        onInput={props.onPassword}
        help={
          <>
            <span>{props.help}</span>
            <span class="strength" data-strength={props.password ? strength() : undefined}>
              <i />
              <Show when={props.password} fallback={ta('password.hint')}>
                {ta(`password.${strength()}` as AdminKey)}
              </Show>
            </span>
          </>
        }
      />
      <TextField
        label={ta('password.repeat')}
        type="password"
        autocomplete="new-password"
        required
        value={props.repeat}
        error={props.repeatError}
        onInput={props.onRepeat}
      />
    </>
  );
}

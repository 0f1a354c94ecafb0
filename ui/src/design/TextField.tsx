/** A labelled field of an ordinary form (settings save by themselves and have their own). */
import { createUniqueId, type JSX, Show } from 'solid-js';

export interface TextFieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  help?: JSX.Element;
  error?: string;
  type?: 'text' | 'password' | 'url' | 'number';
  autocomplete?: string;
  required?: boolean;
  autofocus?: boolean;
  minLength?: number;
}

export function TextField(props: TextFieldProps): JSX.Element {
  const id = createUniqueId();
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {props.label}
      </label>
      <input
        id={id}
        class="input"
        type={props.type ?? 'text'}
        value={props.value}
        step={props.type === 'number' ? 'any' : undefined}
        autocomplete={props.autocomplete ?? 'off'}
        required={props.required}
        aria-invalid={props.error ? 'true' : undefined}
        aria-describedby={`${id}-help ${id}-error`}
        ref={(input) => {
          if (props.autofocus) queueMicrotask(() => input.focus());
        }}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <Show when={props.help}>
        <div class="field-help" id={`${id}-help`}>
          {props.help}
        </div>
      </Show>
      <div class="field-error" id={`${id}-error`} role="alert">
        {props.error}
      </div>
    </div>
  );
}

/** Several of several, each with a sentence that says what choosing it means. */
import { createEffect, createUniqueId, For, type JSX, Show } from 'solid-js';

export interface CheckOption {
  value: string;
  label: string;
  text?: string;
}

export interface CheckGroupProps {
  label: string;
  options: CheckOption[];
  chosen: string[];
  error?: string;
  /** Names a box before the others that stands for all of them. */
  all?: string;
  onChange: (chosen: string[]) => void;
}

export function CheckGroup(props: CheckGroupProps): JSX.Element {
  const id = createUniqueId();
  const toggle = (value: string, isChosen: boolean) =>
    // In the order of the options, whatever the order of the presses.
    props.onChange(
      props.options
        .map((option) => option.value)
        .filter((one) => (one === value ? isChosen : props.chosen.includes(one))),
    );
  const count = () => props.options.filter((option) => props.chosen.includes(option.value)).length;
  const hasAll = () => count() === props.options.length;
  return (
    <fieldset class="field" aria-describedby={`${id}-error`}>
      <legend class="field-label">{props.label}</legend>
      <div class="choices">
        <Show when={props.all}>
          <label class="choice">
            <input
              type="checkbox"
              checked={hasAll()}
              ref={(input) =>
                createEffect(() => {
                  input.indeterminate = count() > 0 && !hasAll();
                })
              }
              onChange={(event) =>
                props.onChange(event.currentTarget.checked ? props.options.map((option) => option.value) : [])
              }
            />
            <strong>{props.all}</strong>
          </label>
        </Show>
        <For each={props.options}>
          {(option) => (
            <label class="choice">
              <input
                type="checkbox"
                checked={props.chosen.includes(option.value)}
                onChange={(event) => toggle(option.value, event.currentTarget.checked)}
              />
              <span>
                <strong>{option.label}</strong>
                <Show when={option.text}>
                  <span class="muted small">{option.text}</span>
                </Show>
              </span>
            </label>
          )}
        </For>
      </div>
      <div class="field-error" id={`${id}-error`} role="alert">
        {props.error}
      </div>
    </fieldset>
  );
}

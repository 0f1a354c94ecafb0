/** One of several values: explained on cards where there is something to explain, otherwise from a list. */
import { createEffect, For, type JSX, on, Show } from 'solid-js';
import type { EditorProps } from './editors.tsx';

export interface Option<Value> {
  value: Value;
  label: string;
  /** What choosing it means. */
  text?: string;
}

export const isExplained = (options: Option<unknown>[]): boolean => options.some((option) => option.text);

export function ChoiceEditor(props: EditorProps<string> & { label: string; options: Option<string>[] }): JSX.Element {
  return (
    <Show when={isExplained(props.options)} fallback={<ChoiceList {...props} />}>
      <ChoiceCards {...props} />
    </Show>
  );
}

export function ChoiceCards<Value>(
  props: EditorProps<Value> & { label: string; options: Option<Value>[] },
): JSX.Element {
  return (
    <div class="choices" role="radiogroup" aria-label={props.label} aria-describedby={props.describedBy}>
      <For each={props.options}>
        {(option) => (
          <label class="choice">
            <input
              type="radio"
              name={props.id}
              checked={props.value === option.value}
              disabled={props.disabled}
              ref={(input) =>
                afterRefusal(props, () => {
                  input.checked = props.value === option.value;
                })
              }
              onChange={() => props.onCommit(option.value)}
            />
            <span>
              <strong>{option.label}</strong>
              <span class="muted small">{option.text}</span>
            </span>
          </label>
        )}
      </For>
    </div>
  );
}

function ChoiceList(props: EditorProps<string> & { options: Option<string>[] }): JSX.Element {
  return (
    <select
      id={props.id}
      class="select"
      disabled={props.disabled}
      aria-invalid={props.invalid ? 'true' : undefined}
      aria-describedby={props.describedBy}
      ref={(select) =>
        afterRefusal(props, () => {
          select.value = props.value;
        })
      }
      onChange={(event) => props.onCommit(event.currentTarget.value)}
    >
      <For each={props.options}>
        {(option) => (
          <option value={option.value} selected={option.value === props.value}>
            {option.label}
          </option>
        )}
      </For>
    </select>
  );
}

/** The browser has moved the mark already; after a refusal the control must show again what holds. */
export function afterRefusal(props: { invalid: boolean }, showStored: () => void): void {
  createEffect(
    on(
      () => props.invalid,
      (invalid) => {
        if (invalid) showStored();
      },
      { defer: true },
    ),
  );
}

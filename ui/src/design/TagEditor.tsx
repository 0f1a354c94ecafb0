/** A list of short texts: type, press Enter or comma, and it is one more; each can be removed. */
import { createSignal, For, type JSX } from 'solid-js';
import { Icon } from './Icon.tsx';

export interface TagEditorProps {
  id: string;
  values: string[];
  disabled?: boolean;
  describedBy?: string;
  placeholder: string;
  /** Name of the button that removes one, e.g. "Remove music". */
  removeLabel: (value: string) => string;
  onChange: (values: string[]) => void;
}

export function TagEditor(props: TagEditorProps): JSX.Element {
  const [draft, setDraft] = createSignal('');

  const add = () => {
    const added = draft()
      .split(',')
      .map((text) => text.trim().replace(/^#/, ''))
      .filter((text) => text !== '' && !props.values.includes(text));
    setDraft('');
    if (added.length > 0) props.onChange([...props.values, ...new Set(added)]);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault();
      add();
    } else if (event.key === 'Backspace' && draft() === '' && props.values.length > 0) {
      props.onChange(props.values.slice(0, -1));
    }
  };

  return (
    <div class="tag-editor" classList={{ 'is-disabled': props.disabled }}>
      <For each={props.values}>
        {(value) => (
          <span class="tag">
            {value}
            <button
              type="button"
              aria-label={props.removeLabel(value)}
              disabled={props.disabled}
              onClick={() => props.onChange(props.values.filter((other) => other !== value))}
            >
              <Icon name="cross" />
            </button>
          </span>
        )}
      </For>
      <input
        id={props.id}
        value={draft()}
        placeholder={props.placeholder}
        disabled={props.disabled}
        autocomplete="off"
        aria-describedby={props.describedBy}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={add}
      />
    </div>
  );
}

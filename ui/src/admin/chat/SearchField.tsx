import type { JSX } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';

export function SearchField(props: { label: string; value: string; onInput: (value: string) => void }): JSX.Element {
  return (
    <div class="search-field">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        aria-label={props.label}
        placeholder={props.label}
        autocomplete="off"
        value={props.value}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </div>
  );
}

/** Links to the same numbers as files: a table for a spreadsheet, JSON for programs. */
import type { JSX } from 'solid-js';

export function Downloads(props: { label: string; path: string }): JSX.Element {
  const link = (ending: string) => (
    <a
      class="button"
      data-size="small"
      href={`${props.path}.${ending}`}
      download=""
      aria-label={`${props.label}: ${ending.toUpperCase()}`}
    >
      {ending.toUpperCase()}
    </a>
  );
  return (
    <p class="row">
      <span class="muted small">{props.label}</span>
      {link('csv')}
      {link('json')}
    </p>
  );
}

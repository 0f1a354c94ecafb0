/** Somebody or some server from elsewhere, as small as a thumb. Decoration: the name stands beside it. */
import { type JSX, Show } from 'solid-js';
import { ownPicture } from '../pictures.ts';

const COLOURS = 8;

/** The same for the same name, on every page. */
export function colourOf(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521;
  return sum % COLOURS;
}

/** The first letter or digit; names begin with anything. */
export function initialOf(name: string): string {
  return (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '?').toLocaleUpperCase();
}

export function Avatar(props: { name: string; image?: string | null }): JSX.Element {
  return (
    <span class="avatar" data-color={colourOf(props.name)} aria-hidden="true">
      <Show when={ownPicture(props.image)} fallback={initialOf(props.name)}>
        {(source) => <img src={source()} width="40" height="40" alt="" loading="lazy" />}
      </Show>
    </span>
  );
}

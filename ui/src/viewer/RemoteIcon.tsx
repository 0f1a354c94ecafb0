import { createSignal, type JSX, Show } from 'solid-js';

/** A small picture from anywhere beside a text; nothing where it cannot be shown. */
export function RemoteIcon(props: { src?: string }): JSX.Element {
  const [broken, setBroken] = createSignal(false);
  return (
    <Show when={props.src && !broken()}>
      <img src={props.src} width="18" height="18" alt="" onError={() => setBroken(true)} />
    </Show>
  );
}

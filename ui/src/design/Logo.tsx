import { createSignal, type JSX } from 'solid-js';

/** The operator's logo; ours where it cannot be shown. Decoration: the name stands beside it. */
export function Logo(props: { src: string; size: number }): JSX.Element {
  const [broken, setBroken] = createSignal(false);
  return (
    <img
      class="logo"
      src={broken() ? '/img/logo.svg' : props.src}
      width={props.size}
      height={props.size}
      alt=""
      onError={() => setBroken(true)}
    />
  );
}

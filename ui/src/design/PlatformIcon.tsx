import { createEffect, type JSX } from 'solid-js';

/** What stands for a platform without a picture of its own: a link. */
const LINK = '/img/platformlogos/website.svg';

/**
 * The sign of a platform in the colour of the text beside it, which names it: only the shape of the picture is used.
 * Pictures from other addresses are not fetched.
 */
export function PlatformIcon(props: { src?: string }): JSX.Element {
  let element: HTMLSpanElement | undefined;
  const address = () => (props.src && /^\/img\/platformlogos\/[\w-]+\.svg$/.test(props.src) ? props.src : LINK);
  // Not a style attribute: the content security policy refuses those.
  createEffect(() => element?.style.setProperty('--platform-icon', `url("${address()}")`));
  return (
    <span
      class="platform-icon"
      aria-hidden="true"
      ref={(span) => {
        element = span;
      }}
    />
  );
}

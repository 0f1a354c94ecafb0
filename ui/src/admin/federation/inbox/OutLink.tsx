/** Ways out of the admin pages. */
import { type JSX, Show } from 'solid-js';
import { Icon } from '../../../design/Icon.tsx';
import { webAddress } from '../../../viewer/fediverse/account.ts';

/** A way to another server, in a tab of its own; just the words where the address is none of the web. */
export function OutLink(props: { href: string; children: JSX.Element }): JSX.Element {
  return (
    <Show when={webAddress(props.href)} fallback={<span>{props.children}</span>}>
      {(address) => (
        <a class="out-link" href={address()} target="_blank" rel="nofollow noopener noreferrer">
          <bdi>{props.children}</bdi>
          <Icon name="external" />
        </a>
      )}
    </Show>
  );
}

/** What is ours and has no page to open: enough of its address to tell it from others. */
export function pathOf(address: string): string {
  return URL.canParse(address) ? new URL(address).pathname : address;
}

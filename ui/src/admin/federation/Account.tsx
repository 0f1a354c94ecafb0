/** Somebody on another server: a letter, the name, and the way to their page. */
import { type JSX, Show } from 'solid-js';
import { Avatar } from '../../design/Avatar.tsx';
import { ta } from '../../i18n/admin.ts';
import { webAddress } from '../../viewer/fediverse/account.ts';

export interface AccountProps {
  name: string;
  /** @name@host, or a host. */
  handle: string;
  link?: string | null;
  image?: string | null;
}

export function Account(props: AccountProps): JSX.Element {
  return (
    <span class="account">
      <Avatar name={props.name || props.handle} image={props.image} />
      <span class="account-text">
        <span class="account-name">
          <bdi>{props.name || props.handle}</bdi>
        </span>
        <Show when={webAddress(props.link)} fallback={<span class="muted small">{props.handle}</span>}>
          {(link) => (
            <a
              class="small"
              href={link()}
              target="_blank"
              rel="nofollow noopener noreferrer"
              title={ta('fedi.account.open')}
            >
              <bdi>{props.handle}</bdi>
            </a>
          )}
        </Show>
      </span>
    </span>
  );
}

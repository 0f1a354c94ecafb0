/** Followers one below the other, with what can be done about each. */
import { For, type JSX } from 'solid-js';
import { dateTime } from '../../../i18n/format.ts';
import { Account } from '../Account.tsx';
import { handleOf } from '../account.ts';
import type { Follower } from '../wire.ts';

export interface FollowerRowsProps {
  followers: Follower[];
  label: string;
  /** What stands beside the name; with the time it is about. */
  detail: (follower: Follower) => { text: string; at: string };
  tools: (follower: Follower) => JSX.Element;
}

export const nameOf = (follower: Follower): string => follower.name || handleOf(follower.username);

export function FollowerRows(props: FollowerRowsProps): JSX.Element {
  return (
    <ul class="account-rows" aria-label={props.label}>
      <For each={props.followers}>
        {(follower) => (
          <li data-id={follower.link}>
            <Account
              name={follower.name}
              handle={handleOf(follower.username)}
              link={follower.link}
              image={follower.image}
            />
            <time class="muted small" datetime={props.detail(follower).at} title={dateTime(props.detail(follower).at)}>
              {props.detail(follower).text}
            </time>
            <div class="row account-tools">{props.tools(follower)}</div>
          </li>
        )}
      </For>
    </ul>
  );
}

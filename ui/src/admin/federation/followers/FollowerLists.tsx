/** The short lists: who waits, who is blocked, and the directories. */
import type { JSX } from 'solid-js';
import { ta } from '../../../i18n/admin.ts';
import { dateTime, relativeTime } from '../../../i18n/format.ts';
import type { Question } from '../../chat/Confirm.tsx';
import { ListView } from '../../lists/ListView.tsx';
import { createList, listOfPolled } from '../../lists/source.ts';
import type { PolledValue } from '../../polled.ts';
import { ActionButton } from '../ActionButton.tsx';
import { approveFollower, removeFollower } from '../requests.ts';
import type { Follower } from '../wire.ts';
import { FollowerRows, nameOf } from './FollowerRows.tsx';

/** AllUsers whose Follow was not answered yet, directories too. */
export function PendingFollowers(props: { followers: PolledValue<Follower[]> }): JSX.Element {
  const list = listOfPolled(props.followers, (followers) => followers);
  return (
    <section class="card">
      <p class="muted small">{ta('followers.waiting.text')}</p>
      <ListView
        list={list}
        empty={{ icon: 'check', title: ta('followers.waiting.empty'), text: ta('followers.waiting.empty.text') }}
      >
        <FollowerRows
          followers={list.entries() ?? []}
          label={ta('followers.waiting')}
          detail={(follower) => ({
            text: relativeTime(follower.timestamp, props.followers.at()),
            at: follower.timestamp,
          })}
          tools={(follower) => <FollowDecision follower={follower} onDone={props.followers.refresh} />}
        />
      </ListView>
    </section>
  );
}

/** Yes or no to somebody who waits. */
export function FollowDecision(props: { follower: Follower; onDone: () => Promise<void> }): JSX.Element {
  return (
    <>
      <ActionButton
        label={ta('followers.approve')}
        icon="check"
        look="primary"
        of={nameOf(props.follower)}
        done={ta('followers.approved', { name: nameOf(props.follower) })}
        run={() => approveFollower(props.follower.link, true)}
        onDone={props.onDone}
      />
      <ActionButton
        label={ta('followers.refuse')}
        icon="cross"
        of={nameOf(props.follower)}
        done={ta('followers.refused', { name: nameOf(props.follower) })}
        run={() => approveFollower(props.follower.link, false)}
        onDone={props.onDone}
      />
    </>
  );
}

export function BlockedFollowers(): JSX.Element {
  const followers = createList<Follower>('/api/admin/followers/blocked');
  return (
    <section class="card">
      <p class="muted small">{ta('followers.blocked.text')}</p>
      <ListView
        list={followers}
        empty={{ icon: 'ban', title: ta('followers.blocked.empty'), text: ta('followers.blocked.empty.text') }}
      >
        <FollowerRows
          followers={followers.entries() ?? []}
          label={ta('followers.blocked')}
          detail={(follower) => {
            const at = follower.disabledAt ?? follower.timestamp;
            return { text: ta('followers.blocked.since', { when: dateTime(at) }), at };
          }}
          tools={(follower) => (
            <ActionButton
              label={ta('followers.unblock')}
              of={nameOf(follower)}
              done={ta('followers.unblocked', { name: nameOf(follower) })}
              run={() => removeFollower(follower.link)}
              onDone={followers.refresh}
            />
          )}
        />
      </ListView>
    </section>
  );
}

/** Directories that may list the stream. */
export function Directories(props: { onAsk: (question: Question) => void }): JSX.Element {
  const followers = createList<Follower>('/api/admin/followers/directory');
  const askRemove = (follower: Follower) =>
    props.onAsk({
      title: ta('followers.remove.title', { name: nameOf(follower) }),
      text: ta('followers.directory.remove.text'),
      action: ta('followers.remove'),
      run: async () => {
        await removeFollower(follower.link);
        await followers.refresh();
      },
    });
  return (
    <section class="card">
      <p class="muted small">{ta('followers.directories.text')}</p>
      <ListView
        list={followers}
        empty={{
          icon: 'list',
          title: ta('followers.directories.empty'),
          text: ta('followers.directories.empty.text'),
        }}
      >
        <FollowerRows
          followers={followers.entries() ?? []}
          label={ta('followers.directories')}
          detail={(follower) => ({
            text: ta('followers.directory.since', { when: dateTime(follower.timestamp) }),
            at: follower.timestamp,
          })}
          tools={(follower) => (
            <button
              type="button"
              class="button"
              data-size="small"
              aria-label={`${ta('followers.remove')}: ${nameOf(follower)}`}
              onClick={() => askRemove(follower)}
            >
              {ta('followers.remove')}
            </button>
          )}
        />
      </ListView>
    </section>
  );
}

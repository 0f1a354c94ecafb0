/** The short lists: who waits, who is blocked, and the directories. */
import { createResource, type JSX } from 'solid-js';
import { api } from '../../../api.ts';
import { ta } from '../../../i18n/admin.ts';
import { dateTime, relativeTime } from '../../../i18n/format.ts';
import type { Question } from '../../chat/Confirm.tsx';
import type { Polled } from '../../polled.ts';
import { explain } from '../../session.ts';
import { ActionButton } from '../ActionButton.tsx';
import { Listed } from '../Frame.tsx';
import { approveFollower, removeFollower } from '../requests.ts';
import type { Follower } from '../wire.ts';
import { FollowerRows, nameOf } from './Rows.tsx';

/** Everybody whose Follow was not answered yet, directories too. */
export function Waiting(props: { followers: Polled<Follower[]> }): JSX.Element {
  return (
    <section class="card">
      <p class="muted small">{ta('followers.waiting.text')}</p>
      <Listed
        length={props.followers.value()?.length}
        failing={props.followers.failing()}
        empty={{ icon: 'check', title: ta('followers.waiting.empty'), text: ta('followers.waiting.empty.text') }}
        onRetry={() => void props.followers.refresh()}
      >
        <FollowerRows
          followers={props.followers.value() ?? []}
          label={ta('followers.waiting')}
          detail={(follower) => ({
            text: relativeTime(follower.timestamp, props.followers.at()),
            at: follower.timestamp,
          })}
          tools={(follower) => <Decision follower={follower} onDone={props.followers.refresh} />}
        />
      </Listed>
    </section>
  );
}

/** Yes or no to somebody who waits. */
export function Decision(props: { follower: Follower; onDone: () => Promise<void> }): JSX.Element {
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

export function Blocked(): JSX.Element {
  const [followers, { refetch }] = createResource(() => api.get<Follower[]>('/api/admin/followers/blocked'));
  const answer = () => (followers.error ? undefined : followers.latest);
  return (
    <section class="card">
      <p class="muted small">{ta('followers.blocked.text')}</p>
      <Listed
        length={answer()?.length}
        failing={followers.error !== undefined}
        reason={followers.error ? explain(followers.error) : undefined}
        empty={{ icon: 'ban', title: ta('followers.blocked.empty'), text: ta('followers.blocked.empty.text') }}
        onRetry={() => void refetch()}
      >
        <FollowerRows
          followers={answer() ?? []}
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
              onDone={async () => {
                await refetch();
              }}
            />
          )}
        />
      </Listed>
    </section>
  );
}

/** Directories that may list the stream. */
export function Directories(props: { onAsk: (question: Question) => void }): JSX.Element {
  const [followers, { refetch }] = createResource(() => api.get<Follower[]>('/api/admin/followers/directory'));
  const answer = () => (followers.error ? undefined : followers.latest);
  const askRemove = (follower: Follower) =>
    props.onAsk({
      title: ta('followers.remove.title', { name: nameOf(follower) }),
      text: ta('followers.directory.remove.text'),
      action: ta('followers.remove'),
      run: async () => {
        await removeFollower(follower.link);
        await refetch();
      },
    });
  return (
    <section class="card">
      <p class="muted small">{ta('followers.directories.text')}</p>
      <Listed
        length={answer()?.length}
        failing={followers.error !== undefined}
        reason={followers.error ? explain(followers.error) : undefined}
        empty={{
          icon: 'list',
          title: ta('followers.directories.empty'),
          text: ta('followers.directories.empty.text'),
        }}
        onRetry={() => void refetch()}
      >
        <FollowerRows
          followers={answer() ?? []}
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
      </Listed>
    </section>
  );
}

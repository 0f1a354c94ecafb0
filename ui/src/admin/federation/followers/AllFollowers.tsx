/** AllUsers who follows, newest first, page by page. */
import type { JSX } from 'solid-js';
import { ta } from '../../../i18n/admin.ts';
import { dateTime } from '../../../i18n/format.ts';
import type { Question } from '../../chat/Confirm.tsx';
import { PagedList } from '../../lists/ListView.tsx';
import { createPaged } from '../../lists/paged.ts';
import { RowTool } from '../../lists/RowTool.tsx';
import { approveFollower, removeFollower } from '../requests.ts';
import type { Follower } from '../wire.ts';
import { FollowerRows, nameOf } from './FollowerRows.tsx';

export function AllFollowers(props: { onAsk: (question: Question) => void }): JSX.Element {
  const followers = createPaged<Follower>(() => '/api/admin/followers');
  const ask = (follower: Follower, kind: 'remove' | 'block', run: () => Promise<void>) =>
    props.onAsk({
      title: ta(`followers.${kind}.title`, { name: nameOf(follower) }),
      text: ta(`followers.${kind}.text`),
      action: ta(`followers.${kind}`),
      run: async () => {
        await run();
        await followers.refresh();
      },
    });
  return (
    <section class="card">
      <PagedList
        list={followers}
        empty={{ icon: 'people', title: ta('followers.all.empty'), text: ta('followers.all.empty.text') }}
      >
        {(entries) => (
          <FollowerRows
            followers={entries}
            label={ta('nav.followers')}
            detail={(follower) => ({
              text: ta('followers.since', { when: dateTime(follower.timestamp) }),
              at: follower.timestamp,
            })}
            tools={(follower) => (
              <>
                <RowTool
                  icon="trash"
                  label={ta('followers.remove')}
                  of={nameOf(follower)}
                  onPress={() => ask(follower, 'remove', () => removeFollower(follower.link))}
                />
                <RowTool
                  icon="ban"
                  label={ta('followers.block')}
                  of={nameOf(follower)}
                  onPress={() => ask(follower, 'block', () => approveFollower(follower.link, false))}
                />
              </>
            )}
          />
        )}
      </PagedList>
    </section>
  );
}

import type { JSX } from 'solid-js';
import { ta } from '../../../i18n/admin.ts';
import { dateTime } from '../../../i18n/format.ts';
import { createList } from '../../lists/source.ts';
import { announced, setEnabled } from '../actions.ts';
import type { ChatUser } from '../wire.ts';
import type { UserListProps } from './AllUsers.tsx';
import { UserRows } from './UserRows.tsx';

/** People who may not come back, until they may. */
export function BannedUsers(props: UserListProps): JSX.Element {
  const users = createList<ChatUser>('/api/admin/chat/users/disabled', () => props.changes);
  const unban = async (user: ChatUser) => {
    await announced(setEnabled(user.id, true), ta('banned.done', { name: user.displayName }));
    await users.refresh();
  };
  return (
    <section class="card">
      <p class="muted small">{ta('banned.text')}</p>
      <UserRows
        users={users}
        detail={detailOf}
        action={{ label: ta('person.unban'), run: unban }}
        empty={{ icon: 'ban', title: ta('banned.empty.title'), text: ta('banned.empty.text') }}
        onOpen={props.onOpen}
      />
    </section>
  );
}

function detailOf({ disabledAt, disabledUntil, disabledReason }: ChatUser): string {
  const parts = [
    disabledAt && ta('banned.since', { when: dateTime(disabledAt) }),
    disabledUntil && ta('audit.until', { when: dateTime(disabledUntil) }),
    disabledReason && ta('audit.reason', { reason: disabledReason }),
  ];
  return parts.filter(Boolean).join(' · ');
}

/** People who help: who they are, and how one more becomes one. */
import { createResource, createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import { api } from '../../../api.ts';
import { Banner } from '../../../design/Feedback.tsx';
import { ta } from '../../../i18n/admin.ts';
import { dateTime } from '../../../i18n/format.ts';
import { createList } from '../../lists/source.ts';
import { explain } from '../../session.ts';
import { announced, setModerator } from '../actions.ts';
import { SearchField } from '../SearchField.tsx';
import { type ChatUser, isBanned, isModerator, type UserPage } from '../wire.ts';
import type { UserListProps } from './AllUsers.tsx';
import { Invitations } from './Invitations.tsx';
import { createTyped, usersPath } from './search.ts';
import { UserRow, UserRows } from './UserRows.tsx';

/** Suggestions at once: more would say that the search is too wide. */
const SUGGESTIONS = 6;

export function Moderators(props: UserListProps): JSX.Element {
  const users = createList<ChatUser>('/api/admin/chat/users/moderators', () => props.changes);
  const appoint = async (user: ChatUser, moderator: boolean) => {
    const done = ta(moderator ? 'moderators.added' : 'moderators.removed', { name: user.displayName });
    await announced(setModerator(user.id, moderator), done);
    await users.refresh();
  };
  const since = (user: ChatUser) => ta('moderators.since', { when: dateTime(user.createdAt) });
  return (
    <>
      <section class="card">
        <p class="muted small">{ta('moderators.text')}</p>
        <AddModerator
          present={new Set(users.entries()?.map((user) => user.id))}
          detail={since}
          onAdd={(user) => appoint(user, true)}
        />
        <UserRows
          users={users}
          detail={since}
          action={{ label: ta('person.demote'), run: (user) => appoint(user, false) }}
          empty={{ icon: 'shield', title: ta('moderators.empty.title'), text: ta('moderators.empty.text') }}
          onOpen={props.onOpen}
        />
      </section>
      <Invitations />
    </>
  );
}

interface AddModeratorProps {
  present: ReadonlySet<string>;
  detail: (user: ChatUser) => string;
  onAdd: (user: ChatUser) => Promise<void>;
}

function AddModerator(props: AddModeratorProps): JSX.Element {
  const [wanted, setWanted] = createSignal('');
  const [text, setText] = createTyped((settled) => setWanted(settled.trim()));
  const [found] = createResource(
    // Nothing to ask for is false, so that no question is sent.
    () => wanted() || false,
    (search) => api.get<UserPage>(usersPath({ search, status: 'all', sort: 'desc', page: 0 })),
  );
  const candidates = () =>
    (found.error ? [] : (found.latest?.results ?? []))
      .filter((user) => !props.present.has(user.id) && !user.isBot && !isBanned(user) && !isModerator(user))
      .slice(0, SUGGESTIONS);
  const add = async (user: ChatUser) => {
    await props.onAdd(user);
    setText('');
    setWanted('');
  };
  return (
    <div class="stack-tight">
      <div class="toolbar">
        <SearchField label={ta('moderators.search')} value={text()} onInput={setText} />
      </div>
      <Show when={wanted()}>
        <Switch>
          <Match when={found.error}>
            <Banner tone="error">{explain(found.error)}</Banner>
          </Match>
          <Match when={candidates().length > 0}>
            <ul class="user-rows suggestions" aria-label={ta('moderators.suggestions')}>
              <For each={candidates()}>
                {(user) => (
                  <UserRow user={user} detail={props.detail(user)} action={{ label: ta('person.promote'), run: add }} />
                )}
              </For>
            </ul>
          </Match>
          <Match when={found.state === 'ready'}>
            <p class="muted small" role="status">
              {ta('moderators.nobody')}
            </p>
          </Match>
        </Switch>
      </Show>
    </div>
  );
}

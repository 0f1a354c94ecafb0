/** Everybody who ever came, page by page. */
import { createResource, createSignal, For, type JSX, Match, Switch } from 'solid-js';
import { api } from '../../../api.ts';
import { EmptyState, LoadError, Skeleton } from '../../../design/Feedback.tsx';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { dateTime } from '../../../i18n/format.ts';
import { Pager } from '../../Pager.tsx';
import { explain } from '../../session.ts';
import { Badges, Name } from '../Name.tsx';
import { SearchField } from '../SearchField.tsx';
import { type ChatUser, formerNames, type UserPage } from '../wire.ts';
import { createTyped, PAGE_SIZE, type UserQuery, type UserStatus, usersPath } from './search.ts';

const STATUSES: UserStatus[] = ['all', 'active', 'bots'];

export interface EverybodyProps {
  onOpen: (user: ChatUser) => void;
  /** Changes when something was done to somebody. */
  changes: number;
}

export function Everybody(props: EverybodyProps): JSX.Element {
  const [query, setQuery] = createSignal<UserQuery>({ search: '', status: 'all', sort: 'desc', page: 0 });
  const refine = (change: Partial<UserQuery>) => setQuery({ ...query(), page: 0, ...change });
  const [search, setSearch] = createTyped((text) => refine({ search: text }));
  const [page, { refetch }] = createResource(
    () => ({ path: usersPath(query()), changes: props.changes }),
    ({ path }) => api.get<UserPage>(path),
  );

  return (
    <section class="card">
      <div class="toolbar">
        <SearchField label={ta('people.search')} value={search()} onInput={setSearch} />
        <fieldset class="segments" aria-label={ta('people.status')}>
          <For each={STATUSES}>
            {(status) => (
              <button type="button" aria-pressed={query().status === status} onClick={() => refine({ status })}>
                {ta(`people.status.${status}` as AdminKey)}
              </button>
            )}
          </For>
        </fieldset>
        <select
          class="select toolbar-select"
          aria-label={ta('people.sort')}
          onChange={(event) => refine({ sort: event.currentTarget.value === 'asc' ? 'asc' : 'desc' })}
        >
          <option value="desc">{ta('people.sort.desc')}</option>
          <option value="asc">{ta('people.sort.asc')}</option>
        </select>
      </div>
      <Switch fallback={<Skeleton lines={8} />}>
        <Match when={page.error}>
          <LoadError title={ta('error.load')} text={explain(page.error)} onRetry={() => void refetch()} />
        </Match>
        <Match when={page.latest?.results.length}>
          <UserTable users={page.latest?.results ?? []} onOpen={props.onOpen} />
          <Pager
            page={query().page}
            total={page.latest?.total ?? 0}
            size={PAGE_SIZE}
            onPage={(wanted) => setQuery({ ...query(), page: wanted })}
          />
        </Match>
        <Match when={page.latest && (query().search || query().status !== 'all' || query().page > 0)}>
          <EmptyState icon="search" title={ta('people.nothing.title')}>
            <p>{ta('people.nothing.text')}</p>
          </EmptyState>
        </Match>
        <Match when={page.latest}>
          <EmptyState icon="people" title={ta('people.all.empty.title')}>
            <p>{ta('people.all.empty.text')}</p>
          </EmptyState>
        </Match>
      </Switch>
    </section>
  );
}

function UserTable(props: { users: ChatUser[]; onOpen: (user: ChatUser) => void }): JSX.Element {
  const now = () => new Date().toISOString();
  return (
    <div class="table-frame">
      <table class="table people-table">
        <thead>
          <tr>
            <th scope="col">{ta('people.name')}</th>
            <th scope="col">{ta('person.since')}</th>
            <th scope="col">{ta('person.names')}</th>
            <th scope="col">
              <span class="visually-hidden">{ta('people.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <For each={props.users}>
            {(user) => (
              <tr data-id={user.id}>
                <td>
                  <span class="row">
                    <Name user={user} onOpen={props.onOpen} />
                    <Badges user={user} now={now()} />
                  </span>
                </td>
                <td data-label={ta('person.since')}>
                  <time datetime={user.createdAt}>{dateTime(user.createdAt)}</time>
                </td>
                <td class="people-wide muted" data-label={ta('person.names')}>
                  <bdi>{formerNames(user).join(', ')}</bdi>
                </td>
                <td class="people-actions">
                  <button type="button" class="button" data-size="small" onClick={() => props.onOpen(user)}>
                    {ta('people.details')}
                  </button>
                </td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  );
}

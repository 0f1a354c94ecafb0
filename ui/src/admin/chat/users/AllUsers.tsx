/** AllUsers who ever came, page by page. */
import { createResource, createSignal, For, type JSX } from 'solid-js';
import { api } from '../../../api.ts';
import { Time } from '../../../design/Time.tsx';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { DataTable } from '../../lists/DataTable.tsx';
import { ListView } from '../../lists/ListView.tsx';
import { Pager } from '../../lists/Pager.tsx';
import { listOfResource } from '../../lists/source.ts';
import { Badges, Name } from '../Name.tsx';
import { SearchField } from '../SearchField.tsx';
import { type ChatUser, formerNames, type UserPage } from '../wire.ts';
import { createTyped, PAGE_SIZE, type UserQuery, type UserStatus, usersPath } from './search.ts';

const STATUSES: UserStatus[] = ['all', 'active', 'bots'];

export interface UserListProps {
  onOpen: (user: ChatUser) => void;
  /** Changes when something was done to somebody. */
  changes: number;
}

export function AllUsers(props: UserListProps): JSX.Element {
  const [query, setQuery] = createSignal<UserQuery>({ search: '', status: 'all', sort: 'desc', page: 0 });
  const refine = (change: Partial<UserQuery>) => setQuery({ ...query(), page: 0, ...change });
  const [search, setSearch] = createTyped((text) => refine({ search: text }));
  const resource = createResource(
    () => ({ path: usersPath(query()), changes: props.changes }),
    ({ path }) => api.get<UserPage>(path),
  );
  const [page] = resource;
  const list = listOfResource(resource, ({ results }) => results);
  const isRefined = () => query().search !== '' || query().status !== 'all' || query().page > 0;

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
      <ListView
        list={list}
        lines={8}
        empty={
          isRefined()
            ? { icon: 'search', title: ta('people.nothing.title'), text: ta('people.nothing.text') }
            : { icon: 'people', title: ta('people.all.empty.title'), text: ta('people.all.empty.text') }
        }
      >
        <UserTable users={list.entries() ?? []} onOpen={props.onOpen} />
        <Pager
          page={query().page}
          total={page.latest?.total ?? 0}
          size={PAGE_SIZE}
          onPage={(wanted) => setQuery({ ...query(), page: wanted })}
        />
      </ListView>
    </section>
  );
}

function UserTable(props: { users: ChatUser[]; onOpen: (user: ChatUser) => void }): JSX.Element {
  const now = () => new Date().toISOString();
  return (
    <DataTable
      rows={props.users}
      data={({ id }) => ({ 'data-id': id })}
      columns={[
        {
          label: ta('people.name'),
          heading: true,
          cell: (user) => (
            <span class="row">
              <Name user={user} onOpen={props.onOpen} />
              <Badges user={user} now={now()} />
            </span>
          ),
        },
        { label: ta('person.since'), cell: (user) => <Time at={user.createdAt} /> },
        {
          label: ta('person.names'),
          wide: true,
          muted: true,
          cell: (user) => <bdi>{formerNames(user).join(', ')}</bdi>,
        },
      ]}
      actions={(user) => (
        <button type="button" class="button" data-size="small" onClick={() => props.onOpen(user)}>
          {ta('people.details')}
        </button>
      )}
    />
  );
}

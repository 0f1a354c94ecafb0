/** Whom a plugin created in the chat, newest first. */
import { createResource, For, type JSX, Match, Show, Switch } from 'solid-js';
import { EmptyState, LoadError, Skeleton } from '../../../design/Feedback.tsx';
import { ta } from '../../../i18n/admin.ts';
import { dateTime, number } from '../../../i18n/format.ts';
import { loadUsers } from '../requests.ts';
import type { PluginUser, PluginUsers } from '../wire.ts';

export function People(props: { slug: string }): JSX.Element {
  const [people, { refetch }] = createResource(() => loadUsers(props.slug));
  return (
    <section class="card">
      <header>
        <h2>{ta('plugins.people')}</h2>
        <p class="muted small">{ta('plugins.people.text')}</p>
      </header>
      <Switch fallback={<Skeleton lines={4} />}>
        <Match when={people.error}>
          <LoadError title={ta('error.load')} text={String(people.error.message)} onRetry={() => void refetch()} />
        </Match>
        <Match when={people()?.users.length === 0}>
          <EmptyState title={ta('plugins.people.empty.title')}>
            <p>{ta('plugins.people.empty.text')}</p>
          </EmptyState>
        </Match>
        <Match when={people()}>{(found) => <UserTable people={found()} />}</Match>
      </Switch>
    </section>
  );
}

function UserTable(props: { people: PluginUsers }): JSX.Element {
  const shown = () => props.people.users.length;
  const count = () =>
    shown() < props.people.total
      ? ta('plugins.people.newest', { count: shown(), total: number(props.people.total) })
      : ta('plugins.people.count', { count: shown() });
  return (
    <>
      <p class="small" role="status">
        {count()}
      </p>
      <section class="table-frame" tabindex="0" aria-label={ta('plugins.people')}>
        <table class="table table-stacked">
          <thead>
            <tr>
              <th scope="col">{ta('plugins.people.name')}</th>
              <th scope="col">{ta('plugins.people.since')}</th>
            </tr>
          </thead>
          <tbody>
            <For each={props.people.users}>{(user) => <UserRow user={user} />}</For>
          </tbody>
        </table>
      </section>
    </>
  );
}

function UserRow(props: { user: PluginUser }): JSX.Element {
  return (
    <tr data-id={props.user.id}>
      <td class="plugin-person">
        <bdi>{props.user.displayName}</bdi>{' '}
        <Show when={props.user.isModerator}>
          <span class="badge">{ta('badge.moderator')}</span>
        </Show>
      </td>
      <td data-label={ta('plugins.people.since')}>
        <time datetime={props.user.createdAt}>{dateTime(props.user.createdAt)}</time>
      </td>
    </tr>
  );
}

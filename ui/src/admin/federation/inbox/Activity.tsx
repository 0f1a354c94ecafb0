/** Follows, likes, shares and the like, as they came. */
import { For, type JSX, Show } from 'solid-js';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { dateTime, logTime } from '../../../i18n/format.ts';
import { PagedList } from '../Frame.tsx';
import { createPaged } from '../paged.ts';
import type { FediverseAction } from '../wire.ts';
import { OutLink, pathOf } from './OutLink.tsx';

/** In the words of the catalogue; a kind this page does not know keeps the server's name for it. */
export function actionName(type: string): string {
  const key = `inbox.type.${type}`;
  const text = ta(key as AdminKey);
  return text === key ? type : text;
}

/** A follow is about the account, which has a name; a post is told by its address. */
function about(address: string): string {
  const path = pathOf(address);
  return path.startsWith('/federation/user/') ? ta('inbox.activity.account') : path;
}

export function Activity(): JSX.Element {
  const actions = createPaged<FediverseAction>(() => '/api/admin/federation/actions');
  return (
    <section class="card">
      <PagedList
        list={actions}
        empty={{ icon: 'wave', title: ta('inbox.activity.empty'), text: ta('inbox.activity.empty.text') }}
      >
        {(entries) => (
          <div class="table-frame">
            <table class="table people-table" aria-label={ta('inbox.activity')}>
              <thead>
                <tr>
                  <th scope="col">{ta('logs.time')}</th>
                  <th scope="col">{ta('inbox.activity.what')}</th>
                  <th scope="col">{ta('inbox.activity.who')}</th>
                  <th scope="col">{ta('inbox.activity.about')}</th>
                </tr>
              </thead>
              <tbody>
                <For each={entries}>
                  {(action) => (
                    <tr data-type={action.type}>
                      <td data-label={ta('logs.time')}>
                        <time datetime={action.timestamp} title={dateTime(action.timestamp)}>
                          {logTime(action.timestamp)}
                        </time>
                      </td>
                      <td data-label={ta('inbox.activity.what')}>
                        <span>
                          {actionName(action.type)}{' '}
                          <Show when={action.undoneAt}>
                            <span class="badge" data-tone="warning">
                              {ta('inbox.activity.undone')}
                            </span>
                          </Show>
                        </span>
                      </td>
                      <td class="people-wide" data-label={ta('inbox.activity.who')}>
                        <OutLink href={action.actorIRI}>{action.actorIRI}</OutLink>
                      </td>
                      <td class="muted" data-label={ta('inbox.activity.about')} title={action.iri}>
                        {about(action.iri)}
                      </td>
                    </tr>
                  )}
                </For>
              </tbody>
            </table>
          </div>
        )}
      </PagedList>
    </section>
  );
}

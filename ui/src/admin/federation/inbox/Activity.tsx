/** Follows, likes, shares and the like, as they came. */
import { type JSX, Show } from 'solid-js';
import { Time } from '../../../design/Time.tsx';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { logTime } from '../../../i18n/format.ts';
import { DataTable } from '../../lists/DataTable.tsx';
import { PagedList } from '../../lists/ListView.tsx';
import { createPaged } from '../../lists/paged.ts';
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
          <DataTable
            label={ta('inbox.activity')}
            rows={entries}
            data={({ type }) => ({ 'data-type': type })}
            columns={[
              {
                label: ta('logs.time'),
                cell: ({ timestamp }) => <Time at={timestamp} text={logTime(timestamp)} />,
              },
              {
                label: ta('inbox.activity.what'),
                cell: (action) => (
                  <span>
                    {actionName(action.type)}{' '}
                    <Show when={action.undoneAt}>
                      <span class="badge" data-tone="warning">
                        {ta('inbox.activity.undone')}
                      </span>
                    </Show>
                  </span>
                ),
              },
              {
                label: ta('inbox.activity.who'),
                wide: true,
                cell: ({ actorIRI }) => <OutLink href={actorIRI}>{actorIRI}</OutLink>,
              },
              {
                label: ta('inbox.activity.about'),
                muted: true,
                title: ({ iri }) => iri,
                cell: ({ iri }) => about(iri),
              },
            ]}
          />
        )}
      </PagedList>
    </section>
  );
}

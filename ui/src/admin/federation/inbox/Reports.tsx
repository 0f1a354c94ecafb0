/** Complaints of other servers about the stream or its posts. */
import { For, type JSX } from 'solid-js';
import { ta } from '../../../i18n/admin.ts';
import { dateTime, relativeTime } from '../../../i18n/format.ts';
import { hostOf } from '../../../viewer/fediverse/account.ts';
import { PagedList } from '../../lists/ListView.tsx';
import { createPaged } from '../../lists/paged.ts';
import { ActionButton } from '../ActionButton.tsx';
import { deleteReport } from '../requests.ts';
import type { Report } from '../wire.ts';
import { OutLink } from './OutLink.tsx';

export function Reports(): JSX.Element {
  const reports = createPaged<Report>(() => '/api/admin/federation/reports');
  return (
    <section class="card">
      <p class="muted small">{ta('inbox.reports.text')}</p>
      <PagedList
        list={reports}
        empty={{ icon: 'shield', title: ta('inbox.reports.empty'), text: ta('inbox.reports.empty.text') }}
      >
        {(entries) => (
          <ul class="post-rows" aria-label={ta('inbox.reports')}>
            <For each={entries}>
              {(report) => (
                <li class="post-row" data-id={report.id}>
                  <div class="post-head">
                    <OutLink href={report.actorIRI}>{hostOf(report.actorIRI)}</OutLink>
                    <time class="muted small" datetime={report.receivedAt} title={dateTime(report.receivedAt)}>
                      {relativeTime(report.receivedAt, new Date().toISOString())}
                    </time>
                  </div>
                  <p class="post-text plain" dir="auto">
                    {report.content || ta('inbox.reports.silent')}
                  </p>
                  <ul class="post-links" aria-label={ta('inbox.reports.about')}>
                    <For each={report.objects}>
                      {(object) => (
                        <li>
                          <OutLink href={object}>{object}</OutLink>
                        </li>
                      )}
                    </For>
                  </ul>
                  <div class="row">
                    <ActionButton
                      label={ta('inbox.delete')}
                      icon="trash"
                      of={hostOf(report.actorIRI)}
                      done={ta('inbox.deleted')}
                      run={() => deleteReport(report.id)}
                      onDone={reports.refresh}
                    />
                  </div>
                </li>
              )}
            </For>
          </ul>
        )}
      </PagedList>
    </section>
  );
}

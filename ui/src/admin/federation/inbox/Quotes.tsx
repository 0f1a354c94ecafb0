/** Posts of others that may quote one of the stream's, and taking that back. */
import { type JSX, Show } from 'solid-js';
import { Time } from '../../../design/Time.tsx';
import { ta } from '../../../i18n/admin.ts';
import { logTime } from '../../../i18n/format.ts';
import { hostOf } from '../../../viewer/fediverse/account.ts';
import type { Question } from '../../chat/Confirm.tsx';
import { DataTable } from '../../lists/DataTable.tsx';
import { PagedList } from '../../lists/ListView.tsx';
import { createPaged } from '../../lists/paged.ts';
import { revokeQuote } from '../requests.ts';
import type { Quote } from '../wire.ts';
import { OutLink, pathOf } from './OutLink.tsx';

export function Quotes(props: { onAsk: (question: Question) => void }): JSX.Element {
  const quotes = createPaged<Quote>(() => '/api/admin/federation/quotes');
  const askRevoke = (quote: Quote) =>
    props.onAsk({
      title: ta('inbox.quotes.revoke.title'),
      text: ta('inbox.quotes.revoke.text'),
      action: ta('inbox.quotes.revoke'),
      run: async () => {
        await revokeQuote(quote.id);
        await quotes.refresh();
      },
    });
  return (
    <section class="card">
      <p class="muted small">{ta('inbox.quotes.text')}</p>
      <PagedList
        list={quotes}
        empty={{ icon: 'chat', title: ta('inbox.quotes.empty'), text: ta('inbox.quotes.empty.text') }}
      >
        {(entries) => (
          <DataTable
            label={ta('inbox.quotes')}
            multiline
            rows={entries}
            data={({ id }) => ({ 'data-id': id })}
            columns={[
              {
                label: ta('logs.time'),
                cell: ({ timestamp }) => <Time at={timestamp} text={logTime(timestamp)} />,
              },
              {
                label: ta('inbox.quotes.by'),
                wide: true,
                cell: ({ actorIRI }) => <OutLink href={actorIRI}>{actorIRI}</OutLink>,
              },
              {
                label: ta('inbox.quotes.post'),
                cell: ({ quotePost }) => <OutLink href={quotePost}>{hostOf(quotePost)}</OutLink>,
              },
              {
                label: ta('inbox.quotes.ours'),
                muted: true,
                title: ({ quotedPost }) => quotedPost,
                cell: ({ quotedPost }) => pathOf(quotedPost),
              },
            ]}
            actions={(quote) => (
              <Show
                when={!quote.revokedAt}
                fallback={
                  <span class="badge" data-tone="error">
                    {ta('inbox.quotes.revoked')}
                  </span>
                }
              >
                <button
                  type="button"
                  class="button"
                  data-size="small"
                  aria-label={`${ta('inbox.quotes.revoke')}: ${quote.actorIRI}`}
                  onClick={() => askRevoke(quote)}
                >
                  {ta('inbox.quotes.revoke')}
                </button>
              </Show>
            )}
          />
        )}
      </PagedList>
    </section>
  );
}

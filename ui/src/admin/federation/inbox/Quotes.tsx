/** Posts of others that may quote one of the stream's, and taking that back. */
import { For, type JSX, Show } from 'solid-js';
import { ta } from '../../../i18n/admin.ts';
import { dateTime, logTime } from '../../../i18n/format.ts';
import { hostOf } from '../../../viewer/fediverse/account.ts';
import type { Question } from '../../chat/Confirm.tsx';
import { PagedList } from '../Frame.tsx';
import { createPaged } from '../paged.ts';
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
          <div class="table-frame">
            <table class="table people-table deliveries" aria-label={ta('inbox.quotes')}>
              <thead>
                <tr>
                  <th scope="col">{ta('logs.time')}</th>
                  <th scope="col">{ta('inbox.quotes.by')}</th>
                  <th scope="col">{ta('inbox.quotes.post')}</th>
                  <th scope="col">{ta('inbox.quotes.ours')}</th>
                  <th scope="col">
                    <span class="visually-hidden">{ta('people.actions')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                <For each={entries}>
                  {(quote) => (
                    <tr data-id={quote.id}>
                      <td data-label={ta('logs.time')}>
                        <time datetime={quote.timestamp} title={dateTime(quote.timestamp)}>
                          {logTime(quote.timestamp)}
                        </time>
                      </td>
                      <td class="people-wide" data-label={ta('inbox.quotes.by')}>
                        <OutLink href={quote.actorIRI}>{quote.actorIRI}</OutLink>
                      </td>
                      <td data-label={ta('inbox.quotes.post')}>
                        <OutLink href={quote.quotePost}>{hostOf(quote.quotePost)}</OutLink>
                      </td>
                      <td class="muted" data-label={ta('inbox.quotes.ours')} title={quote.quotedPost}>
                        {pathOf(quote.quotedPost)}
                      </td>
                      <td class="people-actions">
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

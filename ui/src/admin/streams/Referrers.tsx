/** From which sites visitors came during a stream. */
import type { JSX } from 'solid-js';
import type { StreamReferrer } from '../../api-types.d.ts';
import { EmptyState } from '../../design/Feedback.tsx';
import { ta } from '../../i18n/admin.ts';
import { number } from '../../i18n/format.ts';
import { DataTable } from '../lists/DataTable.tsx';

/** What the server calls the hosts it counts together. */
const OTHERS = '*';

export function siteName(host: string): string {
  if (host === OTHERS) return ta('streams.referrer.others');
  return host || ta('streams.referrer.unknown');
}

export function Referrers(props: { referrers: StreamReferrer[] }): JSX.Element {
  return (
    <section class="card">
      <header>
        <h2>{ta('streams.referrers')}</h2>
        <p class="muted small">{ta('streams.referrers.text')}</p>
      </header>
      {props.referrers.length === 0 ? (
        <EmptyState icon="people" title={ta('streams.referrers.none')}>
          <p>{ta('streams.referrers.none.text')}</p>
        </EmptyState>
      ) : (
        <DataTable
          label={ta('streams.referrers')}
          rows={props.referrers}
          data={({ host }) => ({ 'data-host': host })}
          columns={[
            { label: ta('streams.referrer'), wide: true, cell: ({ host }) => <bdi>{siteName(host)}</bdi> },
            { label: ta('streams.visits'), cell: ({ visits }) => number(visits) },
          ]}
        />
      )}
    </section>
  );
}

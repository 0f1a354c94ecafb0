/** What went wrong during a stream, and when. */
import type { JSX } from 'solid-js';
import type { StreamIncident } from '../../api-types.d.ts';
import { EmptyState } from '../../design/Feedback.tsx';
import { Time } from '../../design/Time.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { logTime } from '../../i18n/format.ts';
import { DataTable } from '../lists/DataTable.tsx';

/** In the words of the catalogue; an incident this page does not know keeps the server's name for it. */
export function incidentName(code: string): string {
  const key = `streams.incident.${code}`;
  const text = ta(key as AdminKey);
  return text === key ? code : text;
}

export function Incidents(props: { incidents: StreamIncident[] }): JSX.Element {
  return (
    <section class="card">
      <h2>{ta('streams.incidents')}</h2>
      {props.incidents.length === 0 ? (
        <EmptyState icon="check" title={ta('streams.incidents.none')}>
          <p>{ta('streams.incidents.none.text')}</p>
        </EmptyState>
      ) : (
        <DataTable
          label={ta('streams.incidents')}
          multiline
          rows={props.incidents}
          data={({ code }) => ({ 'data-code': code })}
          columns={[
            { label: ta('logs.time'), muted: true, cell: ({ at }) => <Time at={at} text={logTime(at)} /> },
            {
              label: ta('streams.incident'),
              wide: true,
              cell: ({ code, message }) => (
                <div>
                  <span>{incidentName(code)}</span>
                  {message && <p class="muted small">{message}</p>}
                </div>
              ),
            },
          ]}
        />
      )}
    </section>
  );
}

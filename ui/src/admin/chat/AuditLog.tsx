/** Who did what to whom: the last acts of moderation. */
import { type JSX, Show } from 'solid-js';
import { Time } from '../../design/Time.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { logTime } from '../../i18n/format.ts';
import { DataTable } from '../lists/DataTable.tsx';
import { ListView } from '../lists/ListView.tsx';
import { listOfPolled } from '../lists/source.ts';
import { createPolled } from '../polled.ts';
import type { LogEntry } from './wire.ts';

const INTERVAL_MS = 5_000;
/** What was done on these pages. */
const OPERATOR = 'operator';

/** In the words of the catalogue; an act this page does not know keeps the server's name for it. */
export function actionName(action: string): string {
  const key = `audit.action.${action}`;
  const text = ta(key as AdminKey);
  return text === key ? action : text;
}

export function AuditLog(): JSX.Element {
  const log = createPolled<LogEntry[]>('/api/admin/chat/log', INTERVAL_MS);
  const list = listOfPolled(log, (entries) => entries);
  return (
    <section class="card">
      <ListView
        list={list}
        lines={6}
        empty={{ icon: 'shield', title: ta('audit.empty.title'), text: ta('audit.empty.text') }}
      >
        <DataTable
          rows={list.entries() ?? []}
          data={({ action }) => ({ 'data-action': action })}
          columns={[
            { label: ta('logs.time'), muted: true, cell: ({ at }) => <Time at={at} text={logTime(at)} /> },
            {
              label: ta('audit.who'),
              cell: ({ actor, actorName }) => (
                <bdi>{actor === OPERATOR ? ta('audit.operator') : actorName || actor}</bdi>
              ),
            },
            { label: ta('audit.what'), cell: ({ action }) => actionName(action) },
            { label: ta('audit.whom'), cell: ({ target, targetName }) => <bdi>{targetName || target}</bdi> },
            {
              label: ta('audit.detail'),
              wide: true,
              cell: ({ detail, reason }) => (
                <>
                  <Show when={detail}>
                    <bdi>{detail}</bdi>
                  </Show>
                  <Show when={reason}>
                    <p>
                      <bdi>{ta('audit.reason', { reason })}</bdi>
                    </p>
                  </Show>
                </>
              ),
            },
          ]}
        />
      </ListView>
    </section>
  );
}

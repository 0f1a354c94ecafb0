/** Who did what to whom: the last acts of moderation. */
import { type JSX, Show } from 'solid-js';
import { Time } from '../../design/Time.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { dateTime, logTime } from '../../i18n/format.ts';
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

/** An address is its own name; of everything else an id says nothing to anyone. */
const whomOf = ({ action, target, targetName }: LogEntry) => targetName || (action.startsWith('ip-') ? target : '–');

/** Ids of messages are counted, and an end is a time. */
function detailOf({ action, detail }: LogEntry): string {
  if (action === 'hide' || action === 'show') {
    const count = detail.split(' ').filter(Boolean).length;
    return count > 1 ? ta('audit.messages', { count }) : '';
  }
  const isEnd = (action === 'ban' || action === 'timeout') && /^\d{4}-/.test(detail);
  return isEnd ? ta('audit.until', { when: dateTime(detail) }) : detail;
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
            { label: ta('audit.whom'), cell: (entry) => <bdi>{whomOf(entry)}</bdi> },
            {
              label: ta('audit.detail'),
              wide: true,
              cell: (entry) => (
                <>
                  <Show when={detailOf(entry)}>{(detail) => <bdi>{detail()}</bdi>}</Show>
                  <Show when={entry.reason}>
                    <p>
                      <bdi>{ta('audit.reason', { reason: entry.reason })}</bdi>
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

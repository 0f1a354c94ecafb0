/** Who did what to whom: the last acts of moderation. */
import { For, type JSX, Match, Show, Switch } from 'solid-js';
import { EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { dateTime, logTime } from '../../i18n/format.ts';
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
  return (
    <section class="card">
      <Switch fallback={<Skeleton lines={6} />}>
        <Match when={log.value()?.length}>
          <LogTable entries={log.value() ?? []} />
        </Match>
        <Match when={log.value()}>
          <EmptyState icon="shield" title={ta('audit.empty.title')}>
            <p>{ta('audit.empty.text')}</p>
          </EmptyState>
        </Match>
        <Match when={log.failing()}>
          <LoadError title={ta('error.load')} onRetry={() => void log.refresh()} />
        </Match>
      </Switch>
    </section>
  );
}

function LogTable(props: { entries: LogEntry[] }): JSX.Element {
  return (
    <div class="table-frame">
      <table class="table people-table">
        <thead>
          <tr>
            <th scope="col">{ta('logs.time')}</th>
            <th scope="col">{ta('audit.who')}</th>
            <th scope="col">{ta('audit.what')}</th>
            <th scope="col">{ta('audit.whom')}</th>
            <th scope="col">{ta('audit.detail')}</th>
          </tr>
        </thead>
        <tbody>
          <For each={props.entries}>
            {(entry) => (
              <tr data-action={entry.action}>
                <td class="muted" data-label={ta('logs.time')}>
                  <time datetime={entry.at} title={dateTime(entry.at)}>
                    {logTime(entry.at)}
                  </time>
                </td>
                <td data-label={ta('audit.who')}>
                  <bdi>{entry.actor === OPERATOR ? ta('audit.operator') : entry.actorName || entry.actor}</bdi>
                </td>
                <td data-label={ta('audit.what')}>{actionName(entry.action)}</td>
                <td data-label={ta('audit.whom')}>
                  <bdi>{entry.targetName || entry.target}</bdi>
                </td>
                <td class="people-wide" data-label={ta('audit.detail')}>
                  <Show when={entry.detail}>
                    <bdi>{entry.detail}</bdi>
                  </Show>
                </td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  );
}

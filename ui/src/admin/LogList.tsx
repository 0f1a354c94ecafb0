import { For, type JSX } from 'solid-js';
import { type AdminKey, ta } from '../i18n/admin.ts';
import { logTime } from '../i18n/format.ts';
import type { LogLine } from '../wire.ts';

/** Newest first: what one looks for has usually just happened. */
export function LogList(props: { lines: LogLine[] }): JSX.Element {
  return (
    <section class="table-frame" tabindex="0" aria-label={ta('nav.logs')}>
      <table class="table log-table">
        <thead>
          <tr>
            <th scope="col">{ta('logs.time')}</th>
            <th scope="col">{ta('logs.level')}</th>
            <th scope="col">{ta('logs.message')}</th>
          </tr>
        </thead>
        <tbody>
          <For each={props.lines.toReversed()}>
            {(line) => (
              <tr data-level={line.level}>
                <td class="log-time">
                  <time datetime={line.time}>{logTime(line.time)}</time>
                </td>
                <td>
                  <span class="log-level">{ta(`logs.level.${line.level}` as AdminKey)}</span>
                </td>
                <td class="log-message">{line.message}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}

import './log-lines/log-lines.css';
import { For, type JSX, Show } from 'solid-js';
import { type AdminKey, ta } from '../i18n/admin.ts';
import { logTime } from '../i18n/format.ts';
import type { LogLine } from '../wire.ts';
import { factName, factValue, sentenceOf } from './log-lines/sentence.ts';

export interface LogListProps {
  lines: LogLine[];
  /** Word for word, as for what a plugin wrote. */
  plain?: boolean;
}

/** Newest first: what one looks for has usually just happened. */
export function LogList(props: LogListProps): JSX.Element {
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
                <td class="log-level-cell">
                  <span class="log-level">{ta(`logs.level.${line.level}` as AdminKey)}</span>
                </td>
                <td class="log-message">
                  <Show when={!props.plain} fallback={line.message}>
                    <Sentence message={line.message} />
                  </Show>
                </td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}

function Sentence(props: { message: string }): JSX.Element {
  const said = () => sentenceOf(props.message);
  return (
    <>
      <bdi class="log-text">{said().text}</bdi>
      <For each={said().facts}>
        {(fact) => (
          <>
            {' '}
            <span class="log-fact muted">
              {factName(fact.name)}: <bdi>{factValue(fact.value)}</bdi>
            </span>
          </>
        )}
      </For>
    </>
  );
}

/** How serious a log line has to be to be shown. */
import { For, type JSX } from 'solid-js';
import { type AdminKey, ta } from '../i18n/admin.ts';
import type { LogLevel, LogLine } from '../wire.ts';

const LEVELS: LogLevel[] = ['debug', 'info', 'warning', 'error'];

/** Everything at least as serious as the chosen level. */
export function atLeast(level: LogLevel, lines: LogLine[]): LogLine[] {
  return lines.filter((line) => LEVELS.indexOf(line.level) >= LEVELS.indexOf(level));
}

export function LevelFilter(props: { level: LogLevel; onChoose: (level: LogLevel) => void }): JSX.Element {
  return (
    <fieldset class="segments" aria-label={ta('logs.filter')}>
      <For each={LEVELS}>
        {(one) => (
          <button type="button" aria-pressed={props.level === one} onClick={() => props.onChoose(one)}>
            {ta(`logs.filter.${one}` as AdminKey)}
          </button>
        )}
      </For>
    </fieldset>
  );
}

import { createSignal, For, type JSX, Match, Switch } from 'solid-js';
import { EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import type { LogLevel, LogLine } from '../../wire.ts';
import { LogList } from '../LogList.tsx';
import { useLogs } from '../logs.ts';

const LEVELS: LogLevel[] = ['debug', 'info', 'warning', 'error'];

/** Everything at least as serious as the chosen level. */
export function atLeast(level: LogLevel, lines: LogLine[]): LogLine[] {
  return lines.filter((line) => LEVELS.indexOf(line.level) >= LEVELS.indexOf(level));
}

export function Logs(): JSX.Element {
  const logs = useLogs();
  const [level, setLevel] = createSignal<LogLevel>('debug');
  const shown = () => atLeast(level(), logs.lines() ?? []);

  return (
    <section class="card">
      <fieldset class="segments" aria-label={ta('logs.filter')}>
        <For each={LEVELS}>
          {(one) => (
            <button type="button" aria-pressed={level() === one} onClick={() => setLevel(one)}>
              {ta(`logs.filter.${one}` as AdminKey)}
            </button>
          )}
        </For>
      </fieldset>
      <Switch>
        <Match when={shown().length > 0}>
          <LogList lines={shown()} />
        </Match>
        <Match when={logs.lines()}>
          <EmptyState icon="list" title={ta('logs.empty.title')}>
            <p>{ta(level() === 'debug' ? 'logs.empty.text' : 'logs.empty.filtered')}</p>
          </EmptyState>
        </Match>
        <Match when={logs.failing()}>
          <LoadError title={ta('error.logs')} onRetry={logs.retry} />
        </Match>
        <Match when={true}>
          <Skeleton lines={8} />
        </Match>
      </Switch>
    </section>
  );
}

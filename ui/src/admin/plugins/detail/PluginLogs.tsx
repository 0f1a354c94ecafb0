/** What the server and the plugin itself say about it: the newest lines of the log. */
import { createSignal, type JSX, Match, Switch } from 'solid-js';
import { EmptyState, LoadError, Skeleton } from '../../../design/Feedback.tsx';
import { ta } from '../../../i18n/admin.ts';
import type { LogLevel } from '../../../wire.ts';
import { atLeast, LevelFilter } from '../../LevelFilter.tsx';
import { LogList } from '../../LogList.tsx';
import { useLogs } from '../../logs.ts';
import { logsOf } from '../requests.ts';

export function PluginLogs(props: { slug: string }): JSX.Element {
  const logs = useLogs(() => logsOf(props.slug));
  const [level, setLevel] = createSignal<LogLevel>('debug');
  const shown = () => atLeast(level(), logs.lines() ?? []);

  return (
    <section class="card">
      <LevelFilter level={level()} onChoose={setLevel} />
      <Switch fallback={<Skeleton lines={6} />}>
        <Match when={shown().length > 0}>
          <LogList lines={shown()} plain />
        </Match>
        <Match when={logs.lines()}>
          <EmptyState icon="list" title={ta('logs.empty.title')}>
            <p>{ta(level() === 'debug' ? 'plugins.logs.empty' : 'logs.empty.filtered')}</p>
          </EmptyState>
        </Match>
        <Match when={logs.failing()}>
          <LoadError title={ta('error.logs')} onRetry={logs.retry} />
        </Match>
      </Switch>
    </section>
  );
}

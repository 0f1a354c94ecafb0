/** What the server says about itself, to be followed, searched, held still and taken elsewhere. */
import { createSignal, type JSX, Match, Show, Switch } from 'solid-js';
import { copyText } from '../../design/CopyField.tsx';
import { EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { toast } from '../../design/toasts.tsx';
import { ta } from '../../i18n/admin.ts';
import type { LogLevel, LogLine } from '../../wire.ts';
import { SearchField } from '../chat/SearchField.tsx';
import { AdminIcon } from '../icons.tsx';
import { atLeast, LevelFilter } from '../LevelFilter.tsx';
import { LogList } from '../LogList.tsx';
import { downloadText, logFileName } from '../log-lines/download.ts';
import { sentenceOf } from '../log-lines/sentence.ts';
import { useLogs } from '../logs.ts';

/** Lines that have all the words, in any order; as the server wrote them, or as they are shown. */
export function matching(query: string, lines: LogLine[]): LogLine[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return lines;
  return lines.filter((line) => {
    const text = `${line.message} ${sentenceOf(line.message).text}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** For a report of a fault: one line each, oldest first, times as the server wrote them. */
export function asText(lines: LogLine[]): string {
  return lines.map((line) => `${line.time} ${line.level.toUpperCase()} ${line.message}`).join('\n');
}

export function Logs(): JSX.Element {
  const logs = useLogs();
  const [level, setLevel] = createSignal<LogLevel>('debug');
  const [query, setQuery] = createSignal('');
  const [pausedLines, setPausedLines] = createSignal<LogLine[]>();
  const lines = () => pausedLines() ?? logs.lines() ?? [];
  const shown = () => matching(query(), atLeast(level(), lines()));
  /** By time: the server forgets old lines while new ones come, so the number of lines says nothing. */
  const missed = () => {
    const newest = pausedLines()?.at(-1)?.time ?? '';
    return pausedLines() ? (logs.lines() ?? []).filter((line) => line.time > newest).length : 0;
  };

  const copy = async () => {
    const list = shown();
    try {
      await copyText(asText(list));
      toast(ta('logs.copied', { count: list.length }));
    } catch {
      toast(ta('logs.copy.refused'));
    }
  };

  const download = () => {
    const list = shown();
    downloadText(logFileName(list.at(-1)?.time), `${asText(list)}\n`);
  };

  return (
    <section class="card">
      <div class="toolbar">
        <SearchField label={ta('logs.search')} value={query()} onInput={setQuery} />
        <button
          type="button"
          class="button"
          aria-pressed={pausedLines() !== undefined}
          disabled={!logs.lines()}
          onClick={() => setPausedLines(pausedLines() ? undefined : logs.lines())}
        >
          <AdminIcon name={pausedLines() ? 'play' : 'pause'} />
          {ta(pausedLines() ? 'logs.resume' : 'logs.pause')}
        </button>
        <button type="button" class="button" disabled={shown().length === 0} onClick={() => void copy()}>
          <AdminIcon name="copy" />
          {ta('logs.copy')}
        </button>
        <button type="button" class="button" disabled={shown().length === 0} onClick={download}>
          <AdminIcon name="down" />
          {ta('logs.download')}
        </button>
      </div>
      <LevelFilter level={level()} onChoose={setLevel} />
      <div class="log-note" role="status">
        <Show when={missed() > 0}>{ta('logs.missed', { count: missed() })}</Show>
      </div>
      <Switch>
        <Match when={shown().length > 0}>
          <LogList lines={shown()} />
        </Match>
        <Match when={logs.lines() && query().trim()}>
          <EmptyState icon="search" title={ta('logs.nothing.title')}>
            <p>{ta('logs.nothing.text')}</p>
          </EmptyState>
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

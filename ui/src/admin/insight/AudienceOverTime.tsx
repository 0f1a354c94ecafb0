/** How many watched and chatted, for as long as the server remembers. */
import { createEffect, createSignal, For, type JSX, Match, on, Show, Switch } from 'solid-js';
import { api } from '../../api.ts';
import type { AudienceHistory } from '../../api-types.d.ts';
import { LoadError, Skeleton } from '../../design/Feedback.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { usePolling } from '../../poll.ts';
import { ChatClientsChart, type Periods, ViewersChart } from '../charts/AudienceCharts.tsx';

const INTERVAL_MS = 30_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const RANGES = ['1h', '24h', '7d', '30d', 'all'] as const;
export type Range = (typeof RANGES)[number];

const LENGTHS: Record<Range, number> = {
  '1h': HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  all: Number.POSITIVE_INFINITY,
};

export const rangePath = (range: Range) => `/api/admin/viewers/history?range=${range}`;

/** A longer range only where there is something in it that a shorter one does not show. */
export function rangesSince(since: string | null | undefined, now: number): Range[] {
  const age = since ? now - Date.parse(since) : 0;
  return RANGES.filter((_, index) => {
    const shorter = RANGES[index - 1];
    return index < 2 || (shorter !== undefined && age > LENGTHS[shorter]);
  });
}

export function AudienceOverTime(): JSX.Element {
  const [range, setRange] = createSignal<Range>('1h');
  const [shown, setShown] = createSignal<{ range: Range; history: AudienceHistory }>();
  const [failing, setFailing] = createSignal(false);

  const ask = async () => {
    const asked = range();
    return { range: asked, history: await api.get<AudienceHistory>(rangePath(asked)) };
  };
  const show = (answer: { range: Range; history: AudienceHistory }) => {
    // An answer for the range that was left is too late.
    if (answer.range === range()) setShown(answer);
  };
  const refresh = () =>
    ask().then(
      (answer) => {
        setFailing(false);
        show(answer);
      },
      () => setFailing(true),
    );
  usePolling({ ask, onAnswer: show, onTrouble: setFailing, intervalMs: INTERVAL_MS, immediately: true });
  createEffect(on(range, () => void refresh(), { defer: true }));

  const periods = (): Periods | undefined => {
    const history = shown()?.history;
    return (
      history && {
        points: history.points,
        stepSeconds: history.stepSeconds,
        between: [Date.parse(history.from), Date.parse(history.to)],
      }
    );
  };
  const hasChat = () => periods()?.points.some((point) => point.peakChatClients > 0);

  return (
    <section class="card">
      <fieldset class="segments" aria-label={ta('viewers.range')}>
        <For each={rangesSince(shown()?.history.since, Date.now())}>
          {(one) => (
            <button type="button" aria-pressed={range() === one} onClick={() => setRange(one)}>
              {ta(`viewers.range.${one}` as AdminKey)}
            </button>
          )}
        </For>
      </fieldset>
      <Switch fallback={<Skeleton lines={5} />}>
        <Match when={periods()}>
          {(known) => (
            <>
              <ViewersChart {...known()} text={ta('viewers.chart.text')} />
              <Show when={hasChat()}>
                <ChatClientsChart {...known()} />
              </Show>
            </>
          )}
        </Match>
        <Match when={failing()}>
          <LoadError title={ta('error.load')} onRetry={() => void refresh()} />
        </Match>
      </Switch>
    </section>
  );
}

/** How busy the machine is, and whether that is something to worry about. */
import './insight.css';
import { For, type JSX, Match, Switch } from 'solid-js';
import { EmptyState, LoadError, Skeleton } from '../../design/Feedback.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { percent } from '../../i18n/format.admin.ts';
import { TimeChart } from '../charts/TimeChart.tsx';
import { createPolled } from '../polled.ts';
import { type Hardware, pointsOf } from './wire.ts';

const INTERVAL_MS = 30_000;
/** The server measures once in two minutes. */
const MEASURED_EVERY_MS = 120_000;

const PARTS = ['cpu', 'memory', 'disk'] as const;
export type Part = (typeof PARTS)[number];

export type Load = 'fine' | 'busy' | 'full';

/** Above the first the operator should know, above the second they should act. A disk that fills up stops everything. */
const LIMITS: Record<Part, [busy: number, full: number]> = {
  cpu: [70, 90],
  memory: [80, 93],
  disk: [80, 92],
};

export function loadOf(part: Part, value: number): Load {
  const [busy, full] = LIMITS[part];
  if (value >= full) return 'full';
  return value >= busy ? 'busy' : 'fine';
}

export function HardwareInfo(): JSX.Element {
  const hardware = createPolled<Hardware>('/api/admin/hardwarestats', INTERVAL_MS);
  const isEmpty = () => {
    const now = hardware.value();
    return now !== undefined && PARTS.every((part) => !now[part]?.length);
  };
  return (
    <Switch
      fallback={
        <section class="card">
          <Skeleton lines={8} />
        </section>
      }
    >
      <Match when={isEmpty()}>
        <section class="card">
          <EmptyState icon="clock" title={ta('hardware.empty.title')}>
            <p>{ta('hardware.empty.text')}</p>
          </EmptyState>
        </section>
      </Match>
      <Match when={hardware.value()}>
        {(now) => (
          <>
            <section class="card">
              <h2 class="visually-hidden">{ta('hardware.now')}</h2>
              <dl class="facts">
                <For each={PARTS}>{(part) => <Now part={part} value={now()[part]?.at(-1)?.value} />}</For>
              </dl>
            </section>
            <For each={PARTS}>
              {(part) => (
                <section class="card">
                  <TimeChart
                    title={ta(`hardware.${part}` as AdminKey)}
                    text={ta(`hardware.${part}.text` as AdminKey)}
                    lines={[{ label: ta('hardware.used'), points: pointsOf(now()[part]) }]}
                    format={percent}
                    top={100}
                    everyMs={MEASURED_EVERY_MS}
                  />
                </section>
              )}
            </For>
          </>
        )}
      </Match>
      <Match when={hardware.failing()}>
        <LoadError title={ta('error.load')} onRetry={() => void hardware.refresh()} />
      </Match>
    </Switch>
  );
}

function Now(props: { part: Part; value: number | undefined }): JSX.Element {
  const load = () => (props.value === undefined ? undefined : loadOf(props.part, props.value));
  return (
    <div data-load={load()}>
      <dt>{ta(`hardware.${props.part}` as AdminKey)}</dt>
      <dd>
        {props.value === undefined ? '–' : percent(props.value)}
        <span class="load-words">{load() && ta(`hardware.${props.part}.${load()}` as AdminKey)}</span>
      </dd>
    </div>
  );
}

/** How a plugin does, in numbers. */
import { type JSX, Show } from 'solid-js';
import { ta } from '../../../i18n/admin.ts';
import { fileSize, microseconds } from '../../../i18n/format.admin.ts';
import { decimal, number } from '../../../i18n/format.ts';
import { TimeChart } from '../../charts/TimeChart.tsx';
import { type History, INTERVAL_MS } from '../history.ts';
import { isFilter } from '../state.ts';
import type { Plugin } from '../wire.ts';

/** On the axis, bytes are counted in these. */
const MEGABYTE = 1024 * 1024;

export function Numbers(props: { plugin: Plugin; history: History }): JSX.Element {
  return (
    <Show
      when={props.plugin.loaded}
      fallback={
        <section class="card">
          <p class="muted">{ta('plugins.numbers.none')}</p>
        </section>
      }
    >
      <NumbersCard plugin={props.plugin} history={props.history} />
    </Show>
  );
}

function NumbersCard(props: { plugin: Plugin; history: History }): JSX.Element {
  const calls = () => props.plugin.callStats;
  const unfiltered = () => props.plugin.unfilteredLines ?? 0;
  return (
    <section class="card">
      <header>
        <h2>{ta('plugins.numbers')}</h2>
        <p class="muted small">{ta('plugins.numbers.text')}</p>
      </header>
      <dl class="facts">
        <Fact name={ta('plugins.memory')} value={fileSize(props.plugin.memoryBytes)} />
        <Fact name={ta('plugins.calls')} value={number(calls().total)} />
        <Fact name={ta('plugins.calls.failed')} value={number(calls().failed)} isBad={calls().failed > 0} />
        <Fact name={ta('plugins.traps')} value={number(calls().fatal)} isBad={calls().fatal > 0} />
        <Fact
          name={ta('plugins.dropped')}
          value={number(props.plugin.droppedEvents)}
          isBad={props.plugin.droppedEvents > 0}
        />
        <Fact name={ta('plugins.strikes')} value={number(props.plugin.strikes)} isBad={props.plugin.strikes > 0} />
        <Show when={isFilter(props.plugin) || unfiltered() > 0}>
          <Fact name={ta('plugins.unfiltered')} value={number(unfiltered())} isBad={unfiltered() > 0} />
        </Show>
        <Fact name={ta('plugins.cpu')} value={`${decimal(calls().cpuMicros / 1_000_000)} s`} />
      </dl>
      <Charts history={props.history} />
    </section>
  );
}

function Charts(props: { history: History }): JSX.Element {
  return (
    <div class="plugin-charts">
      <TimeChart
        title={ta('plugins.memory')}
        lines={[{ label: ta('plugins.memory'), points: props.history.memory }]}
        format={fileSize}
        unit={MEGABYTE}
        everyMs={INTERVAL_MS}
      />
      <TimeChart
        title={ta('plugins.cpu.rate')}
        lines={[{ label: ta('plugins.cpu'), points: props.history.cpu }]}
        format={microseconds}
        everyMs={INTERVAL_MS}
      />
      <TimeChart
        title={ta('plugins.calls.rate')}
        lines={[{ label: ta('plugins.calls.rate'), points: props.history.calls }]}
        format={decimal}
        everyMs={INTERVAL_MS}
      />
      <TimeChart
        title={ta('plugins.calls.time')}
        text={ta('plugins.calls.time.text')}
        lines={[
          { label: ta('plugins.calls.median'), points: props.history.median },
          { label: ta('plugins.calls.p99'), points: props.history.p99 },
        ]}
        format={microseconds}
        everyMs={INTERVAL_MS}
      />
      <TimeChart
        title={ta('plugins.failures.rate')}
        lines={[
          { label: ta('plugins.calls.failed'), points: props.history.failed },
          { label: ta('plugins.traps'), points: props.history.fatal },
        ]}
        format={decimal}
        everyMs={INTERVAL_MS}
      />
    </div>
  );
}

function Fact(props: { name: string; value: string; isBad?: boolean }): JSX.Element {
  return (
    <div data-load={props.isBad ? 'busy' : undefined}>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}

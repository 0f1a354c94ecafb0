/** How a plugin does: its numbers, and what it answers to in the chat. */
import { For, type JSX, Show } from 'solid-js';
import { Banner } from '../../../design/Feedback.tsx';
import { ta } from '../../../i18n/admin.ts';
import { fileSize, microseconds } from '../../../i18n/format.admin.ts';
import { decimal, number } from '../../../i18n/format.ts';
import { TimeChart } from '../../charts/TimeChart.tsx';
import { type History, INTERVAL_MS } from '../history.ts';
import type { Plugin, PluginCommand } from '../wire.ts';

export function Overview(props: { plugin: Plugin; history: History }): JSX.Element {
  return (
    <div class="stack">
      <For each={props.plugin.remarks}>{(remark) => <Banner tone="warning">{remark}</Banner>}</For>
      <Show
        when={props.plugin.loaded}
        fallback={
          <section class="card">
            <p class="muted">{ta('plugins.numbers.none')}</p>
          </section>
        }
      >
        <Numbers plugin={props.plugin} history={props.history} />
        <Commands commands={props.plugin.commands ?? []} />
      </Show>
      <section class="card">
        <dl class="inbound">
          <Row name={ta('plugins.bot')} value={props.plugin.botDisplayName} />
          <Row name={ta('plugins.category')} value={props.plugin.category} />
          <Row name={ta('plugins.file')} value={props.plugin.path} />
        </dl>
      </section>
    </div>
  );
}

function Row(props: { name: string; value?: string }): JSX.Element {
  return (
    <Show when={props.value}>
      <div>
        <dt>{props.name}</dt>
        <dd>{props.value}</dd>
      </div>
    </Show>
  );
}

function Numbers(props: { plugin: Plugin; history: History }): JSX.Element {
  const calls = () => props.plugin.callStats;
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

function Commands(props: { commands: PluginCommand[] }): JSX.Element {
  return (
    <Show when={props.commands.length > 0}>
      <section class="card">
        <h2>{ta('plugins.commands')}</h2>
        <div class="table-frame">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{ta('plugins.command')}</th>
                <th scope="col">{ta('plugins.command.does')}</th>
                <th scope="col">{ta('plugins.command.wait')}</th>
              </tr>
            </thead>
            <tbody>
              <For each={props.commands}>{(command) => <CommandRow command={command} />}</For>
            </tbody>
          </table>
        </div>
      </section>
    </Show>
  );
}

function CommandRow(props: { command: PluginCommand }): JSX.Element {
  const names = () => [props.command.name, ...props.command.aliases].map((name) => `${props.command.prefix}${name}`);
  return (
    <tr>
      <td>
        <code>{names().join(', ')}</code>{' '}
        <Show when={props.command.modOnly}>
          <span class="badge">{ta('plugins.command.mods')}</span>
        </Show>
      </td>
      <td>
        {props.command.description} <Show when={props.command.usage}>{(usage) => <code>{usage()}</code>}</Show>
      </td>
      <td>{props.command.cooldownMs > 0 ? `${decimal(props.command.cooldownMs / 1000)} s` : '–'}</td>
    </tr>
  );
}

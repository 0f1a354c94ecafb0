/** On the first page: plugins that should run and do not, and why. Nothing where all is well. */
import { For, type JSX, Show } from 'solid-js';
import { Banner } from '../../design/Feedback.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { Link } from '../../router.tsx';
import { createPolled } from '../polled.ts';
import { PLUGINS } from './requests.ts';
import { isStopped, returnTime, shortError, stateOf } from './state.ts';
import type { Plugin } from './wire.ts';

const INTERVAL_MS = 10_000;

export function StoppedPlugins(): JSX.Element {
  const plugins = createPolled<Plugin[]>(PLUGINS, INTERVAL_MS, { key: 'slug' });
  const found = () => plugins.value()?.filter(isStopped) ?? [];
  return (
    <Show when={found().length > 0}>
      <section class="card card-wide">
        <h2>{ta('home.plugins')}</h2>
        <div class="diagnoses" role="status">
          <For each={found()}>{(plugin) => <Line plugin={plugin} />}</For>
        </div>
      </section>
    </Show>
  );
}

function Line(props: { plugin: Plugin }): JSX.Element {
  const returnsAt = () => (props.plugin.autoDisabled ? props.plugin.returnsAt : undefined);
  return (
    <Banner tone="warning">
      <p class="stopped-plugin">
        <Link href={`/admin/plugins/${props.plugin.slug}`}>{props.plugin.name}</Link>{' '}
        {ta(`home.plugins.${stateOf(props.plugin)}` as AdminKey)}{' '}
        <Show when={returnsAt()}>{(time) => `${ta('plugins.returns', { time: returnTime(time()) })} `}</Show>
        <Show when={props.plugin.lastError}>{(error) => <span class="muted">{shortError(error())}</span>}</Show>
      </p>
    </Banner>
  );
}

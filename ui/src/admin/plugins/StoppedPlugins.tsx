/** On the first page: plugins that should run and do not, and why. */
import { type JSX, Show } from 'solid-js';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { Link } from '../../router.tsx';
import { createPolled } from '../polled.ts';
import { PLUGINS } from './requests.ts';
import { isStopped, returnTime, shortError, stateOf } from './state.ts';
import type { Plugin } from './wire.ts';

const INTERVAL_MS = 10_000;

/** All plugins, and those of them that are not as the operator wants them. */
export function usePlugins() {
  const plugins = createPolled<Plugin[]>(PLUGINS, INTERVAL_MS, { key: 'slug' });
  return { all: plugins.value, stopped: () => plugins.value()?.filter(isStopped) ?? [] };
}

export function StoppedPluginLine(props: { plugin: Plugin }): JSX.Element {
  const returnsAt = () => (props.plugin.autoDisabled ? props.plugin.returnsAt : undefined);
  return (
    <p class="stopped-plugin">
      <Link href={`/admin/plugins/${props.plugin.slug}`}>{props.plugin.name}</Link>{' '}
      {ta(`home.plugins.${stateOf(props.plugin)}` as AdminKey)}{' '}
      <Show when={returnsAt()}>{(time) => `${ta('plugins.returns', { time: returnTime(time()) })} `}</Show>
      <Show when={props.plugin.lastError}>{(error) => <span class="muted">{shortError(error())}</span>}</Show>
    </p>
  );
}

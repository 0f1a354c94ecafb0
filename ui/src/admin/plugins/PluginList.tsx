/** All plugins in a glance: what they are, how they are, and what went wrong. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { Link } from '../../router.tsx';
import { AdminIcon } from '../icons.tsx';
import { stateOf } from './state.ts';
import type { Plugin } from './wire.ts';

const TONES = {
  off: undefined,
  preparing: 'warning',
  running: 'success',
  waiting: 'warning',
  failed: 'error',
  crashed: 'error',
  autoDisabled: 'error',
} as const;

export function PluginList(props: { plugins: Plugin[] }): JSX.Element {
  return (
    <ul class="plugin-rows">
      <For each={props.plugins}>
        {(plugin) => (
          <li data-slug={plugin.slug}>
            <PluginIcon plugin={plugin} />
            <div class="plugin-text">
              <div class="row">
                <Link class="plugin-name" href={`/admin/plugins/${plugin.slug}`}>
                  {plugin.name}
                </Link>
                <span class="muted small">{plugin.version}</span>
              </div>
              <Show when={plugin.description}>
                <p class="muted small">{plugin.description}</p>
              </Show>
              <Show when={plugin.lastError}>
                {(error) => (
                  <p class="plugin-error small" title={error()}>
                    {lastLine(error())}
                  </p>
                )}
              </Show>
            </div>
            <StateBadge plugin={plugin} />
          </li>
        )}
      </For>
    </ul>
  );
}

/** Of a traceback the last line says what happened. */
function lastLine(error: string): string {
  return error.trimEnd().split('\n').at(-1)?.trim() ?? '';
}

export function StateBadge(props: { plugin: Plugin }): JSX.Element {
  const state = () => stateOf(props.plugin);
  return (
    <span class="badge plugin-state" data-tone={TONES[state()]} title={ta(`plugins.state.${state()}.text` as AdminKey)}>
      {ta(`plugins.state.${state()}` as AdminKey)}
    </span>
  );
}

export function PluginIcon(props: { plugin: Plugin }): JSX.Element {
  const [broken, setBroken] = createSignal(false);
  return (
    <span class="plugin-icon">
      <Show when={props.plugin.hasIcon && !broken()} fallback={<AdminIcon name="puzzle" />}>
        <img
          src={`/api/plugins/${props.plugin.slug}/icon?v=${encodeURIComponent(props.plugin.version ?? '')}`}
          alt=""
          onError={() => setBroken(true)}
        />
      </Show>
    </span>
  );
}

/** Plugins at a glance: what they are, how they are, what went wrong, and the switch of each. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { Link } from '../../router.tsx';
import { AdminIcon } from '../icons.tsx';
import { returnTime, shortError, stateOf, stateText } from './state.ts';
import type { Switching } from './switching.ts';
import type { Plugin } from './wire.ts';

const TONES = {
  off: undefined,
  starting: 'warning',
  running: 'success',
  waiting: 'warning',
  failed: 'error',
  crashed: 'error',
  autoDisabled: 'error',
} as const;

export function PluginList(props: { plugins: Plugin[]; switching: Switching }): JSX.Element {
  return (
    <ul class="plugin-rows">
      <For each={props.plugins}>{(plugin) => <Row plugin={plugin} switching={props.switching} />}</For>
    </ul>
  );
}

function Row(props: { plugin: Plugin; switching: Switching }): JSX.Element {
  return (
    <li data-slug={props.plugin.slug}>
      <PluginIcon plugin={props.plugin} />
      <div class="plugin-text">
        <div class="row">
          <Link class="plugin-name" href={`/admin/plugins/${props.plugin.slug}`}>
            {props.plugin.name}
          </Link>
          <span class="muted small">{props.plugin.version}</span>
          <OriginBadge plugin={props.plugin} />
        </div>
        <Show when={props.plugin.description}>
          <p class="muted small" dir="auto">
            {props.plugin.description}
          </p>
        </Show>
        <Show when={props.plugin.lastError}>
          {(error) => (
            <p class="plugin-error small" title={error()}>
              {shortError(error())}
            </p>
          )}
        </Show>
        <Show when={props.plugin.autoDisabled && props.plugin.returnsAt}>
          {(time) => <p class="small">{ta('plugins.returns', { time: returnTime(time()) })}</p>}
        </Show>
      </div>
      <StateBadge plugin={props.plugin} />
      <RowSwitch plugin={props.plugin} switching={props.switching} />
    </li>
  );
}

function RowSwitch(props: { plugin: Plugin; switching: Switching }): JSX.Element {
  return (
    <input
      class="switch plugin-switch"
      type="checkbox"
      role="switch"
      aria-label={props.plugin.name}
      checked={props.plugin.enabled}
      aria-checked={props.plugin.enabled}
      aria-busy={props.switching.isBusy(props.plugin)}
      onClick={(event) => {
        // It shows what the server says, not what was asked of it.
        event.preventDefault();
        props.switching.toggle(props.plugin);
      }}
    />
  );
}

/** Where it is from, if not simply from a file. */
export function OriginBadge(props: { plugin: Plugin }): JSX.Element {
  return (
    <>
      <Show when={props.plugin.included}>
        <span class="badge">{ta('plugins.included')}</span>
      </Show>
      <Show when={props.plugin.replacesIncluded}>
        <span class="badge">{ta('plugins.replaces')}</span>
      </Show>
    </>
  );
}

export function StateBadge(props: { plugin: Plugin }): JSX.Element {
  const state = () => stateOf(props.plugin);
  return (
    <span class="badge plugin-state" data-tone={TONES[state()]} title={stateText(props.plugin)}>
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

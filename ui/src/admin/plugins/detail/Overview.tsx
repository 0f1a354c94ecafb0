/** What a plugin is for and how it is used: what the author says, its commands and its settings. */
import { For, type JSX, Show } from 'solid-js';
import { Banner } from '../../../design/Feedback.tsx';
import { ta } from '../../../i18n/admin.ts';
import { canBeGate } from '../state.ts';
import type { Plugin } from '../wire.ts';
import { AccessModeCard } from './AccessMode.tsx';
import { Commands } from './Commands.tsx';
import { Instructions } from './Instructions.tsx';
import { SettingsForm } from './SettingsForm.tsx';

export function Overview(props: { plugin: Plugin }): JSX.Element {
  const hasSettings = () => Object.keys(props.plugin.config ?? {}).length > 0;
  return (
    <div class="stack">
      <Warnings plugin={props.plugin} />
      <Show when={props.plugin.hasInstructions}>
        <Instructions slug={props.plugin.slug} />
      </Show>
      <Commands commands={props.plugin.commands ?? []} />
      <Show when={canBeGate(props.plugin)}>
        <AccessModeCard slug={props.plugin.slug} />
      </Show>
      <Show when={hasSettings()}>
        <SettingsForm slug={props.plugin.slug} schema={props.plugin.config ?? {}} />
      </Show>
      <PackageFacts plugin={props.plugin} />
    </div>
  );
}

function Warnings(props: { plugin: Plugin }): JSX.Element {
  return (
    <>
      <Show when={props.plugin.unfilteredLines}>
        {(count) => <Banner tone="warning">{ta('plugins.unfiltered.warning', { count: count() })}</Banner>}
      </Show>
      <Show when={props.plugin.remarks?.length}>
        <Banner tone="warning">
          <strong>{ta('plugins.remarks')}</strong>
          <ul class="points">
            <For each={props.plugin.remarks}>{(remark) => <li>{remark}</li>}</For>
          </ul>
        </Banner>
      </Show>
    </>
  );
}

function PackageFacts(props: { plugin: Plugin }): JSX.Element {
  const rows = () =>
    [
      { name: ta('plugins.bot'), value: props.plugin.botDisplayName },
      { name: ta('plugins.category'), value: props.plugin.category },
      { name: ta('plugins.file'), value: props.plugin.included ? undefined : props.plugin.path },
    ].filter((row) => row.value);
  return (
    <Show when={rows().length > 0}>
      <section class="card">
        <dl class="inbound">
          <For each={rows()}>
            {(row) => (
              <div>
                <dt>{row.name}</dt>
                <dd>
                  <bdi>{row.value}</bdi>
                </dd>
              </div>
            )}
          </For>
        </dl>
      </section>
    </Show>
  );
}

/** What a plugin answers to in the chat. */
import { For, type JSX, Show } from 'solid-js';
import { ta } from '../../../i18n/admin.ts';
import { decimal } from '../../../i18n/format.ts';
import type { PluginCommand } from '../wire.ts';

export function Commands(props: { commands: PluginCommand[] }): JSX.Element {
  return (
    <Show when={props.commands.length > 0}>
      <section class="card">
        <h2>{ta('plugins.commands')}</h2>
        <section class="table-frame" tabindex="0" aria-label={ta('plugins.commands')}>
          <table class="table table-stacked">
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
        </section>
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
      <td data-label={ta('plugins.command.does')}>
        <span>
          <bdi>{props.command.description}</bdi>{' '}
          <Show when={props.command.usage}>{(usage) => <code>{usage()}</code>}</Show>
        </span>
      </td>
      <td data-label={ta('plugins.command.wait')}>
        <bdi dir="ltr">{props.command.cooldownMs > 0 ? `${decimal(props.command.cooldownMs / 1000)} s` : '–'}</bdi>
      </td>
    </tr>
  );
}

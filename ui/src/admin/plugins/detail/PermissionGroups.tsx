/** What a plugin may do, in plain words, the gravest first. */
import { For, type JSX, Show } from 'solid-js';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { byRisk, meaningOf } from '../permissions.ts';
import type { Plugin } from '../wire.ts';

export function PermissionGroups(props: { plugin: Plugin }): JSX.Element {
  return (
    <section class="card">
      <Show when={props.plugin.permissionDetails.length > 0} fallback={<p>{ta('plugins.permissions.none')}</p>}>
        <For each={byRisk(props.plugin.permissionDetails)}>
          {(group) => (
            <section class="risk" data-risk={group.risk}>
              <h3>{ta(`plugins.risk.${group.risk}` as AdminKey)}</h3>
              <p class="muted small">{ta(`plugins.risk.${group.risk}.text` as AdminKey)}</p>
              <ul class="points">
                <For each={group.permissions}>
                  {(permission) => (
                    <li>
                      {meaningOf(permission)} <code>{permission.name}</code>{' '}
                      <Show when={permission.pending}>
                        <span class="badge" data-tone="warning">
                          {ta('plugins.permissions.pending')}
                        </span>
                      </Show>
                    </li>
                  )}
                </For>
              </ul>
            </section>
          )}
        </For>
      </Show>
      <Show when={props.plugin.allowedHosts?.length}>
        <section class="risk">
          <h3>{ta('plugins.hosts')}</h3>
          <p class="muted small">{ta('plugins.hosts.text')}</p>
          <ul class="tag-row">
            <For each={props.plugin.allowedHosts}>
              {(host) => (
                <li>
                  <code>{host}</code>
                </li>
              )}
            </For>
          </ul>
        </section>
      </Show>
    </section>
  );
}

/** A newer package that wants more than was agreed to: what is new, and the button that agrees. */
import { For, type JSX, Show } from 'solid-js';
import { Banner } from '../../../design/Feedback.tsx';
import { ta } from '../../../i18n/admin.ts';
import { ActionButton } from '../../federation/ActionButton.tsx';
import { meaningOf, riskOf } from '../permissions.ts';
import { act } from '../requests.ts';
import { isWaiting } from '../state.ts';
import type { Plugin } from '../wire.ts';

export function Approval(props: { plugin: Plugin; onChanged: () => Promise<void> }): JSX.Element {
  const added = () => props.plugin.permissionDetails.filter((permission) => permission.pending);
  return (
    <Show when={isWaiting(props.plugin)}>
      <Banner tone="warning">
        <strong>{ta('plugins.approve.title', { version: props.plugin.version ?? '' })}</strong>
        <p>{props.plugin.loaded ? ta('plugins.approve.running') : ta('plugins.approve.stopped')}</p>
        <ul class="points">
          <For each={added()}>
            {(permission) => (
              <li data-risk={riskOf(permission)}>
                {meaningOf(permission)} <code>{permission.name}</code>
              </li>
            )}
          </For>
        </ul>
        <div class="row">
          <ActionButton
            label={ta('plugins.approve')}
            icon="check"
            look="primary"
            of={props.plugin.name}
            done={ta('plugins.approved', { name: props.plugin.name })}
            run={() => act(props.plugin.slug, 'approve')}
            onDone={props.onChanged}
          />
        </div>
      </Banner>
    </Show>
  );
}

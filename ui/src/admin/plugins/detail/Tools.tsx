/** Turns a plugin on and off, loads it anew, removes it. */
import { type JSX, Show } from 'solid-js';
import { Icon } from '../../../design/Icon.tsx';
import { toast } from '../../../design/toasts.tsx';
import { ta } from '../../../i18n/admin.ts';
import { navigate } from '../../../router.tsx';
import { Confirm } from '../../chat/Confirm.tsx';
import { AdminIcon } from '../../icons.tsx';
import { act } from '../requests.ts';
import { createSwitching } from '../switching.ts';
import type { Plugin } from '../wire.ts';

export function Tools(props: { plugin: Plugin; onChanged: () => Promise<void> }): JSX.Element {
  const { question, setQuestion, toggle, isBusy, run } = createSwitching(() => props.onChanged());
  const name = () => ({ name: props.plugin.name });
  const askReload = () =>
    setQuestion({
      title: ta('plugins.reload.title', name()),
      text: ta('plugins.reload.text'),
      action: ta('plugins.reload'),
      look: 'primary',
      run: () => run(props.plugin, 'reload', ta('plugins.reloaded', name())),
    });
  const askRemove = () =>
    setQuestion({
      title: ta('plugins.remove.title', name()),
      text: ta(props.plugin.replacesIncluded ? 'plugins.remove.replaces' : 'plugins.remove.text'),
      action: ta('plugins.remove'),
      run: async () => {
        const done = ta('plugins.removed', name());
        await act(props.plugin.slug, 'uninstall');
        toast(done);
        navigate('/admin/plugins');
        await props.onChanged();
      },
    });

  return (
    <div class="row plugin-tools">
      {/* One button for both: what has the focus must not vanish under it. */}
      <button
        type="button"
        class="button"
        data-look={props.plugin.enabled ? undefined : 'primary'}
        aria-busy={isBusy(props.plugin)}
        onClick={() => toggle(props.plugin)}
      >
        <AdminIcon name="power" />
        {props.plugin.enabled ? ta('plugins.disable') : ta('plugins.enable')}
      </button>
      <Show when={props.plugin.enabled}>
        <button type="button" class="button" onClick={askReload}>
          <Icon name="refresh" />
          {ta('plugins.reload')}
        </button>
      </Show>
      {/* One that came with the server has no file that could be deleted. */}
      <Show when={!props.plugin.included}>
        <button type="button" class="button" data-look="danger" onClick={askRemove}>
          <Icon name="trash" />
          {ta('plugins.remove')}
        </button>
      </Show>
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </div>
  );
}

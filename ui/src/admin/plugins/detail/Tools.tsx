/** Turns a plugin on and off, loads it anew, removes it. Each after a question. */
import { createSignal, type JSX, Show } from 'solid-js';
import { Icon } from '../../../design/Icon.tsx';
import { toast } from '../../../design/toasts.tsx';
import { ta } from '../../../i18n/admin.ts';
import { navigate } from '../../../router.tsx';
import { Confirm, type Question } from '../../chat/Confirm.tsx';
import { AdminIcon } from '../../icons.tsx';
import { meaningOf } from '../permissions.ts';
import { act, type PluginAction } from '../requests.ts';
import type { Plugin } from '../wire.ts';

export function Tools(props: { plugin: Plugin; onChanged: () => Promise<void> }): JSX.Element {
  const [question, setQuestion] = createSignal<Question>();
  const name = () => ({ name: props.plugin.name });

  const run = async (action: PluginAction, done: string) => {
    try {
      await act(props.plugin.slug, action);
      toast(done);
    } finally {
      // A refusal may have changed it too, such as its last error.
      await props.onChanged();
    }
  };
  const askEnable = () =>
    setQuestion({
      title: ta('plugins.enable.title', name()),
      text: props.plugin.permissions.length > 0 ? ta('plugins.enable.text') : ta('plugins.enable.none'),
      points: props.plugin.permissionDetails.map(meaningOf),
      action: ta('plugins.enable'),
      look: 'primary',
      run: () => run('enable', ta('plugins.enabled', name())),
    });
  const askDisable = () =>
    setQuestion({
      title: ta('plugins.disable.title', name()),
      text: ta('plugins.disable.text'),
      action: ta('plugins.disable'),
      run: () => run('disable', ta('plugins.disabled', name())),
    });
  const askReload = () =>
    setQuestion({
      title: ta('plugins.reload.title', name()),
      text: ta('plugins.reload.text'),
      action: ta('plugins.reload'),
      look: 'primary',
      run: () => run('reload', ta('plugins.reloaded', name())),
    });
  const askRemove = () =>
    setQuestion({
      title: ta('plugins.remove.title', name()),
      text: ta('plugins.remove.text'),
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
        onClick={() => (props.plugin.enabled ? askDisable() : askEnable())}
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
      <button type="button" class="button" data-look="danger" onClick={askRemove}>
        <Icon name="trash" />
        {ta('plugins.remove')}
      </button>
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </div>
  );
}

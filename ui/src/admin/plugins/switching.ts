/** Turns plugins on and off, from the list and from their own pages, with the same questions. */
import { type Accessor, createSignal, type Setter } from 'solid-js';
import { toast } from '../../design/toasts.tsx';
import { ta } from '../../i18n/admin.ts';
import { announced } from '../chat/actions.ts';
import type { Question } from '../chat/Confirm.tsx';
import { meaningOf, needsConsent } from './permissions.ts';
import { act, type PluginAction } from './requests.ts';
import type { Plugin } from './wire.ts';

export interface Switching {
  /** For the dialog of the page. */
  question: Accessor<Question | undefined>;
  setQuestion: Setter<Question | undefined>;
  /** Turns it on or off, after a question where there is one. */
  toggle: (plugin: Plugin) => void;
  /** It is being turned on without a question. */
  isBusy: (plugin: Plugin) => boolean;
  /** Rejects with an error whose message is for the operator. */
  run: (plugin: Plugin, action: PluginAction, done: string) => Promise<void>;
}

export function createSwitching(onChanged: () => Promise<void>): Switching {
  const [question, setQuestion] = createSignal<Question>();
  const [busy, setBusy] = createSignal<ReadonlySet<string>>(new Set());
  const isBusy = ({ slug }: Plugin) => busy().has(slug);

  const run = async ({ slug }: Plugin, action: PluginAction, done: string) => {
    try {
      await act(slug, action);
      toast(done);
    } finally {
      // A refusal may have changed it too, such as its last error.
      await onChanged();
    }
  };
  const enable = (plugin: Plugin) => run(plugin, 'enable', ta('plugins.enabled', { name: plugin.name }));
  const enableAtOnce = async (plugin: Plugin) => {
    const { slug } = plugin;
    setBusy((all) => new Set(all).add(slug));
    await announced(enable(plugin));
    setBusy((all) => new Set([...all].filter((one) => one !== slug)));
  };
  const askEnable = (plugin: Plugin) =>
    setQuestion({
      title: ta('plugins.enable.title', { name: plugin.name }),
      text: plugin.permissions.length > 0 ? ta('plugins.enable.text') : ta('plugins.enable.none'),
      points: plugin.permissionDetails.map(meaningOf),
      action: ta('plugins.enable'),
      look: 'primary',
      run: () => enable(plugin),
    });
  const askDisable = (plugin: Plugin) =>
    setQuestion({
      title: ta('plugins.disable.title', { name: plugin.name }),
      text: ta('plugins.disable.text'),
      action: ta('plugins.disable'),
      run: () => run(plugin, 'disable', ta('plugins.disabled', { name: plugin.name })),
    });
  const toggle = (plugin: Plugin) => {
    if (isBusy(plugin)) return;
    if (plugin.enabled) askDisable(plugin);
    else if (needsConsent(plugin)) askEnable(plugin);
    else void enableAtOnce(plugin);
  };
  return { question, setQuestion, toggle, isBusy, run };
}

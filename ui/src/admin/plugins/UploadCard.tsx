/** Brings plugins in: each file is sent, tried by the server, and either there or refused with a reason. */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { createStore } from 'solid-js/store';
import { Icon } from '../../design/Icon.tsx';
import { toast } from '../../design/toasts.tsx';
import { ta } from '../../i18n/admin.ts';
import { percent } from '../../i18n/format.admin.ts';
import { navigate } from '../../router.tsx';
import { DropZone } from '../DropZone.tsx';
import { uploadPlugin } from './requests.ts';
import type { Plugin } from './wire.ts';

const SUFFIX = '.ocpkg';
/** What the server takes; a larger file need not be sent to be refused. */
const MAX_BYTES = 50 * 1024 * 1024;

interface Refusal {
  name: string;
  reason: string;
}

/** Why a file need not be sent; empty when it may be. */
export function obstacle(file: { name: string; size: number }): string {
  if (!file.name.endsWith(SUFFIX)) return ta('plugins.upload.wrongName');
  if (file.size === 0) return ta('plugins.upload.nothing');
  return file.size > MAX_BYTES ? ta('plugins.upload.tooLarge') : '';
}

export function UploadCard(props: { onAdded: () => Promise<void> }): JSX.Element {
  const [sending, setSending] = createSignal<{ name: string; share: number }>();
  const [refused, setRefused] = createStore<Refusal[]>([]);

  const send = async (file: File): Promise<Plugin | undefined> => {
    const refuse = (reason: string) => setRefused((all) => [...all, { name: file.name, reason }]);
    const reason = obstacle(file);
    if (reason) {
      refuse(reason);
      return;
    }
    setSending({ name: file.name, share: 0 });
    try {
      return await uploadPlugin(file, (share) => setSending({ name: file.name, share }));
    } catch (problem) {
      refuse(problem instanceof Error ? problem.message : String(problem));
    }
  };
  const sendAll = async (files: File[]) => {
    setRefused([]);
    const added: Plugin[] = [];
    for (const file of files) {
      const plugin = await send(file);
      if (plugin) added.push(plugin);
    }
    setSending(undefined);
    const [first] = added;
    if (!first) return;
    await props.onAdded();
    toast(ta('plugins.added', { count: added.length, name: first.name }));
    // It runs only after a look at what it wants; that is the next page.
    if (files.length === 1) navigate(`/admin/plugins/${first.slug}`);
  };

  return (
    <section class="card">
      <header>
        <h2>{ta('plugins.upload.title')}</h2>
        <p class="muted small">{ta('plugins.upload.text')}</p>
      </header>
      <DropZone
        choose={ta('plugins.upload.choose')}
        hint={ta('plugins.upload.drop')}
        accept={SUFFIX}
        disabled={sending() !== undefined}
        onFiles={(files) => void sendAll(files)}
      />
      <div role="status">
        <Show when={sending()}>{(now) => <Progress name={now().name} share={now().share} />}</Show>
      </div>
      <ul class="refusals" role="alert">
        <For each={refused}>
          {(one) => (
            <li>
              <Icon name="alert" />
              <span>
                <strong>{one.name}</strong> {one.reason}
              </span>
            </li>
          )}
        </For>
      </ul>
    </section>
  );
}

/** Once everything is there the server tries the plugin, which takes a moment and has no measure. */
function Progress(props: { name: string; share: number }): JSX.Element {
  const isSent = () => props.share >= 1;
  const words = () =>
    isSent()
      ? ta('plugins.upload.checking', { name: props.name })
      : ta('plugins.upload.sending', { name: props.name, share: percent(Math.floor(props.share * 100)) });
  return (
    <div class="upload-progress">
      <Show when={isSent()} fallback={<progress max={1} value={props.share} aria-label={props.name} />}>
        <progress aria-label={props.name} />
      </Show>
      <span class="small">{words()}</span>
    </div>
  );
}

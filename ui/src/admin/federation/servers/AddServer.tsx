/** One more server, by its address. The server asks it who it is, which takes a moment. */
import { createSignal, type JSX } from 'solid-js';
import { Icon } from '../../../design/Icon.tsx';
import { TextField } from '../../../design/TextField.tsx';
import { toast } from '../../../design/toasts.tsx';
import { ta } from '../../../i18n/admin.ts';
import { featureServer } from '../requests.ts';
import { serverAddress } from './state.ts';

export function AddServer(props: { onAdded: () => Promise<void> }): JSX.Element {
  const [url, setUrl] = createSignal('');
  const [error, setError] = createSignal('');
  const [busy, setBusy] = createSignal(false);

  const submit = async (event: Event) => {
    event.preventDefault();
    const address = serverAddress(url());
    if (!address) return setError(ta('servers.url.invalid'));
    setBusy(true);
    setError('');
    try {
      await featureServer(address);
      setUrl('');
      toast(ta('servers.added'));
      await props.onAdded();
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setBusy(false);
    }
  };

  return (
    <form class="server-form" onSubmit={(event) => void submit(event)} novalidate>
      <TextField
        label={ta('servers.url')}
        type="url"
        value={url()}
        help={ta('servers.url.help')}
        error={error()}
        onInput={setUrl}
      />
      <button type="submit" class="button" data-look="primary" disabled={busy()} aria-busy={busy()}>
        <Icon name="plus" />
        {ta(busy() ? 'servers.adding' : 'servers.add')}
      </button>
    </form>
  );
}

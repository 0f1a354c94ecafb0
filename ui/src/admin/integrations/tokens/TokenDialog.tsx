import { createSignal, type JSX, Show } from 'solid-js';
import { Dialog } from '../../../design/Dialog.tsx';
import { Banner } from '../../../design/Feedback.tsx';
import { TextField } from '../../../design/TextField.tsx';
import { ta } from '../../../i18n/admin.ts';
import { CheckGroup } from '../CheckGroup.tsx';
import { createToken } from '../requests.ts';
import type { AccessToken, Scope } from '../wire.ts';
import { scopeOptions } from './scopes.ts';

/** Mounted while it is open, so that it always begins empty. */
export function TokenDialog(props: { onCreated: (token: AccessToken) => void; onClose: () => void }): JSX.Element {
  const [name, setName] = createSignal('');
  const [scopes, setScopes] = createSignal<string[]>([]);
  const [errors, setErrors] = createSignal<{ name?: string; scopes?: string; form?: string }>({});
  const [busy, setBusy] = createSignal(false);

  const submit = async (event: Event) => {
    event.preventDefault();
    const missing = {
      name: name().trim() ? undefined : ta('tokens.name.missing'),
      scopes: scopes().length > 0 ? undefined : ta('tokens.scopes.missing'),
    };
    setErrors(missing);
    if (missing.name || missing.scopes) return;
    setBusy(true);
    try {
      props.onCreated(await createToken(name().trim(), scopes() as Scope[]));
    } catch (problem) {
      setErrors({ form: problem instanceof Error ? problem.message : String(problem) });
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog open wide title={ta('tokens.create')} onClose={props.onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)} novalidate>
        <TextField
          label={ta('tokens.name')}
          value={name()}
          help={ta('tokens.name.help')}
          error={errors().name}
          autofocus
          onInput={setName}
        />
        <CheckGroup
          label={ta('tokens.scopes')}
          options={scopeOptions()}
          chosen={scopes()}
          error={errors().scopes}
          onChange={setScopes}
        />
        <Show when={errors().form}>
          <Banner tone="error">{errors().form}</Banner>
        </Show>
        <div class="dialog-actions">
          <button type="button" class="button" data-look="quiet" onClick={() => props.onClose()}>
            {ta('common.cancel')}
          </button>
          <button type="submit" class="button" data-look="primary" disabled={busy()}>
            {ta('tokens.create.submit')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

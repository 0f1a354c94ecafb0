/** The form of a webhook, for a new one and for one that is there. */
import { createSignal, createUniqueId, type JSX, Show } from 'solid-js';
import { Dialog } from '../../../design/Dialog.tsx';
import { Banner } from '../../../design/Feedback.tsx';
import { TextField } from '../../../design/TextField.tsx';
import { ta } from '../../../i18n/admin.ts';
import { SettingByKey, useSettings } from '../../settings.tsx';
import { CheckGroup } from '../CheckGroup.tsx';
import type { WebhookDraft } from '../requests.ts';
import type { Webhook } from '../wire.ts';
import { eventOptions, isWebAddress } from './events.ts';

export interface WebhookDialogProps {
  /** The one to change; a new one without it. */
  webhook?: Webhook;
  /** Rejects with an error whose message is for the operator. */
  save: (draft: WebhookDraft) => Promise<void>;
  onClose: () => void;
}

/** The path of the switch that lets all webhooks into the own network. */
export const ALLOW_INTERNAL = 'webhooks/allowinternal';

/** Mounted while it is open, so that it always begins with what holds. */
export function WebhookDialog(props: WebhookDialogProps): JSX.Element {
  const id = createUniqueId();
  // Read once: the list below is kept fresh, and an answer of the server must not undo what is being typed.
  const before = props.webhook;
  const options = eventOptions(before?.events);
  const [url, setUrl] = createSignal(before?.url ?? '');
  const [events, setEvents] = createSignal([...(before?.events ?? [])]);
  const [allowInternal, setAllowInternal] = createSignal(before?.allowInternal ?? false);
  const [errors, setErrors] = createSignal<{ url?: string; events?: string; form?: string }>({});
  const [busy, setBusy] = createSignal(false);
  const settings = useSettings();
  /** What the server refuses for the network it is in, it says with the name of the switch. */
  const isInternal = () => {
    const name = settings.find(ALLOW_INTERNAL)?.key;
    return name !== undefined && errors().form?.includes(name);
  };

  const submit = async (event: Event) => {
    event.preventDefault();
    const address = url().trim();
    const found = {
      url: isWebAddress(address) ? undefined : ta('webhooks.url.invalid'),
      events: events().length > 0 ? undefined : ta('webhooks.events.missing'),
    };
    setErrors(found);
    if (found.url || found.events) return;
    setBusy(true);
    try {
      await props.save({ url: address, events: events(), allowInternal: allowInternal() });
    } catch (problem) {
      setErrors({ form: problem instanceof Error ? problem.message : String(problem) });
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog open wide title={ta(before ? 'webhooks.edit' : 'webhooks.create')} onClose={props.onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)} novalidate>
        <TextField
          label={ta('webhooks.url')}
          type="url"
          value={url()}
          help={ta('webhooks.url.help')}
          error={errors().url}
          autofocus
          onInput={setUrl}
        />
        <CheckGroup
          label={ta('webhooks.events')}
          all={ta('webhooks.events.all')}
          options={options}
          chosen={events()}
          error={errors().events}
          onChange={setEvents}
        />
        <div class="field">
          <label class="key-switch">
            <input
              class="switch"
              type="checkbox"
              role="switch"
              checked={allowInternal()}
              aria-checked={allowInternal()}
              aria-describedby={id}
              onChange={(event) => setAllowInternal(event.currentTarget.checked)}
            />
            {ta('webhooks.internal')}
          </label>
          <p class="field-help" id={id}>
            {ta('webhooks.internal.help')}
          </p>
          <Show when={allowInternal()}>
            <Banner tone="warning">
              <p>{ta('webhooks.internal.warning')}</p>
            </Banner>
          </Show>
        </div>
        <Show when={errors().form}>
          <Banner tone="error">{errors().form}</Banner>
        </Show>
        <Show when={isInternal()}>
          <SettingByKey key={ALLOW_INTERNAL} />
        </Show>
        <div class="dialog-actions">
          <button type="button" class="button" data-look="quiet" onClick={() => props.onClose()}>
            {ta('common.cancel')}
          </button>
          <button type="submit" class="button" data-look="primary" disabled={busy()}>
            {ta(before ? 'webhooks.save' : 'webhooks.create.submit')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

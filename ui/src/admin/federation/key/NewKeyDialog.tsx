/** Asks in which of two ways the account gets another key. */
import { createSignal, createUniqueId, type JSX, Show } from 'solid-js';
import { Dialog } from '../../../design/Dialog.tsx';
import { Banner } from '../../../design/Feedback.tsx';
import { ChoiceCards } from '../../../design/setting/choices.tsx';
import { toast } from '../../../design/toasts.tsx';
import { ta } from '../../../i18n/admin.ts';
import { rotateKey } from '../requests.ts';

export interface NewKeyDialogProps {
  /** How many servers know the key; undefined while that is not known here. */
  knownTo: number | undefined;
  /** After it, well or not. */
  onChanged: () => Promise<void>;
  onClose: () => void;
}

export function NewKeyDialog(props: NewKeyDialogProps): JSX.Element {
  const id = createUniqueId();
  const [isCompromised, setCompromised] = createSignal(false);
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal('');
  const options = () => [
    { value: false, label: ta('fedi.key.handover'), text: ta('fedi.key.handover.text') },
    { value: true, label: ta('fedi.key.compromised'), text: ta('fedi.key.compromised.text') },
  ];

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    try {
      await rotateKey(isCompromised()).finally(() => props.onChanged());
      toast(ta('fedi.key.done'));
      props.onClose();
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog open title={ta('fedi.key.title')} onClose={props.onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <ChoiceCards
          id={id}
          label={ta('fedi.key.title')}
          describedBy={`${id}-cost`}
          options={options()}
          value={isCompromised()}
          disabled={busy()}
          invalid={false}
          onCommit={setCompromised}
        />
        <div id={`${id}-cost`} role="status">
          <Show when={isCompromised()}>
            <Banner tone="warning">
              <Show when={props.knownTo !== undefined}>
                <strong>{ta('fedi.key.known', { count: props.knownTo ?? 0 })}</strong>
              </Show>
              <p>{ta('fedi.key.compromised.cost')}</p>
            </Banner>
          </Show>
        </div>
        <Show when={error()}>
          <Banner tone="error">{error()}</Banner>
        </Show>
        <div class="dialog-actions">
          <button type="button" class="button" data-look="quiet" onClick={() => props.onClose()}>
            {ta('common.cancel')}
          </button>
          <button
            type="submit"
            class="button"
            data-look={isCompromised() ? 'danger' : 'primary'}
            disabled={busy()}
            aria-busy={busy()}
          >
            {ta(isCompromised() ? 'fedi.key.compromised.action' : 'fedi.key.action')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The form of one action, with its button as viewers will see it. */
import { createSignal, createUniqueId, type JSX, Show } from 'solid-js';
import { Dialog } from '../../../design/Dialog.tsx';
import { Banner } from '../../../design/Feedback.tsx';
import { ChoiceCards } from '../../../design/setting/choices.tsx';
import { TextField } from '../../../design/TextField.tsx';
import { type AdminKey, ta } from '../../../i18n/admin.ts';
import { ActionButton } from '../../../viewer/Actions.tsx';
import type { ExternalAction } from '../../../wire.ts';
import { actionOf, type Draft, type DraftErrors, draftOf, errorsOf, type Kind } from './draft.ts';

export interface ActionFormProps {
  /** The one to change; a new one without it. */
  action?: ExternalAction;
  /** Rejects with an error whose message is for the operator. */
  save: (action: ExternalAction) => Promise<void>;
  onClose: () => void;
}

const KINDS: Kind[] = ['tab', 'frame', 'html'];
/** What the colour well shows while no colour is chosen. */
const NO_COLOUR = '#0a6a70';

export function ActionForm(props: ActionFormProps): JSX.Element {
  const id = createUniqueId();
  const isNew = !props.action;
  const [draft, setDraft] = createSignal<Draft>(draftOf(props.action));
  const [errors, setErrors] = createSignal<DraftErrors>({});
  const [refusal, setRefusal] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const change = (part: Partial<Draft>) => setDraft({ ...draft(), ...part });

  const submit = async (event: Event) => {
    event.preventDefault();
    const found = errorsOf(draft());
    setErrors(found);
    setRefusal('');
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    try {
      await props.save(actionOf(draft()));
    } catch (problem) {
      setRefusal(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog open wide title={ta(isNew ? 'actions.add' : 'actions.edit')} onClose={props.onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)} novalidate>
        <TextField
          label={ta('actions.title')}
          value={draft().title}
          help={ta('actions.title.help')}
          error={errors().title}
          autofocus
          onInput={(title) => change({ title })}
        />
        <div class="field">
          <span class="field-label" aria-hidden="true">
            {ta('actions.kind')}
          </span>
          <ChoiceCards
            id={id}
            label={ta('actions.kind')}
            value={draft().kind}
            disabled={false}
            invalid={false}
            describedBy=""
            options={KINDS.map((value) => ({
              value,
              label: ta(`actions.kind.${value}` as AdminKey),
              text: ta(`actions.kind.${value}.text` as AdminKey),
            }))}
            onCommit={(kind) => change({ kind })}
          />
        </div>
        <Show
          when={draft().kind === 'html'}
          fallback={
            <TextField
              label={ta('actions.url')}
              type="url"
              value={draft().url}
              error={errors().url}
              onInput={(url) => change({ url })}
            />
          }
        >
          <HtmlField value={draft().html} error={errors().html} onInput={(html) => change({ html })} />
        </Show>
        <TextField
          label={ta('actions.description')}
          value={draft().description}
          help={ta('actions.description.help')}
          onInput={(description) => change({ description })}
        />
        <TextField
          label={ta('actions.icon')}
          type="url"
          value={draft().icon}
          help={ta('actions.icon.help')}
          onInput={(icon) => change({ icon })}
        />
        <ColourField value={draft().color} onInput={(color) => change({ color })} />
        <Preview draft={draft()} />
        <Show when={refusal()}>
          <Banner tone="error">{refusal()}</Banner>
        </Show>
        <div class="dialog-actions">
          <button type="button" class="button" data-look="quiet" onClick={() => props.onClose()}>
            {ta('common.cancel')}
          </button>
          <button type="submit" class="button" data-look="primary" disabled={busy()}>
            {ta(isNew ? 'actions.add.submit' : 'actions.save')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function HtmlField(props: { value: string; error?: string; onInput: (value: string) => void }): JSX.Element {
  const id = createUniqueId();
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {ta('actions.html')}
      </label>
      <textarea
        id={id}
        class="textarea"
        data-code="true"
        spellcheck={false}
        rows={5}
        value={props.value}
        aria-invalid={props.error ? 'true' : undefined}
        aria-describedby={`${id}-help ${id}-error`}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <div class="field-help" id={`${id}-help`}>
        {ta('actions.html.help')}
      </div>
      <div class="field-error" id={`${id}-error`} role="alert">
        {props.error}
      </div>
    </div>
  );
}

function ColourField(props: { value: string; onInput: (value: string) => void }): JSX.Element {
  const id = createUniqueId();
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {ta('actions.color')}
      </label>
      <div class="colour-row">
        <input
          class="colour-well"
          type="color"
          aria-label={ta('actions.color.choose')}
          value={/^#[0-9a-f]{6}$/i.test(props.value) ? props.value : NO_COLOUR}
          onInput={(event) => props.onInput(event.currentTarget.value)}
        />
        <input
          id={id}
          class="input"
          value={props.value}
          placeholder={ta('actions.color.none')}
          onInput={(event) => props.onInput(event.currentTarget.value)}
        />
      </div>
    </div>
  );
}

/** Made anew with every key, so that it shows the same as a fresh page would. */
function Preview(props: { draft: Draft }): JSX.Element {
  return (
    <div class="field">
      <span class="field-label">{ta('actions.preview')}</span>
      <div class="action-preview" inert>
        <Show when={{ ...actionOf(props.draft), title: props.draft.title || '…' }} keyed>
          {(action) => <ActionButton action={action} onPress={() => {}} />}
        </Show>
      </div>
    </div>
  );
}

/** The form of one quality. */
import { createSignal, createUniqueId, For, type JSX, Show } from 'solid-js';
import { Dialog } from '../../design/Dialog.tsx';
import { Banner } from '../../design/Feedback.tsx';
import { ChoiceCards } from '../../design/setting/choices.tsx';
import { TextField } from '../../design/TextField.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { type Draft, type DraftErrors, draftOf, errorsOf, type Kind, LEVELS, nameOf, variantOf } from './draft.ts';
import type { Variant } from './wire.ts';

export interface QualityFormProps {
  variant: Variant;
  isNew: boolean;
  /** Rejects with an error whose message is for the operator. */
  save: (variant: Variant) => Promise<void>;
  onClose: () => void;
}

const KINDS: Kind[] = ['encoded', 'source'];

export function QualityForm(props: QualityFormProps): JSX.Element {
  const id = createUniqueId();
  const [draft, setDraft] = createSignal<Draft>(draftOf(props.variant));
  const [errors, setErrors] = createSignal<DraftErrors>({});
  const [refusal, setRefusal] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const change = (part: Partial<Draft>) => setDraft({ ...draft(), ...part });

  const made = () => variantOf(draft());

  const submit = async (event: Event) => {
    event.preventDefault();
    const found = errorsOf(draft());
    setErrors(found);
    setRefusal('');
    if (Object.keys(found).length > 0) return;
    setBusy(true);
    try {
      await props.save(made());
    } catch (problem) {
      setRefusal(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setBusy(false);
    }
  };

  const field = (key: 'width' | 'height' | 'framerate' | 'bitrate' | 'sound', hasHelp = false) => (
    <TextField
      label={ta(`quality.${key}` as AdminKey)}
      type="number"
      value={draft()[key]}
      help={hasHelp ? ta(`quality.${key}.help` as AdminKey) : undefined}
      error={errors()[key]}
      onInput={(value) => change({ [key]: value })}
    />
  );

  return (
    <Dialog open wide title={ta(props.isNew ? 'quality.add' : 'quality.edit')} onClose={props.onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)} novalidate>
        <ChoiceCards
          id={id}
          label={ta('quality.kind')}
          value={draft().kind}
          disabled={false}
          invalid={false}
          describedBy=""
          options={KINDS.map((value) => ({
            value,
            label: ta(`quality.kind.${value}` as AdminKey),
            text: ta(`quality.kind.${value}.text` as AdminKey),
          }))}
          onCommit={(kind) => change({ kind })}
        />
        <TextField
          label={ta('quality.name')}
          value={draft().name}
          help={ta('quality.name.help', { name: nameOf({ ...made(), name: '' }) })}
          error={errors().name}
          onInput={(name) => change({ name })}
        />
        <Show when={draft().kind === 'encoded'}>
          <div class="quality-fields">
            {field('height', true)}
            {field('width', true)}
            {field('framerate')}
            {field('bitrate', true)}
          </div>
          <Effort level={draft().level} onInput={(level) => change({ level })} />
          {field('sound', true)}
        </Show>
        <Show when={refusal()}>
          <Banner tone="error">{refusal()}</Banner>
        </Show>
        <div class="dialog-actions">
          <button type="button" class="button" data-look="quiet" onClick={() => props.onClose()}>
            {ta('common.cancel')}
          </button>
          <button type="submit" class="button" data-look="primary" disabled={busy()}>
            {ta(props.isNew ? 'quality.add.submit' : 'quality.save')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** A number on the wire; here what it trades for what. */
function Effort(props: { level: number; onInput: (level: number) => void }): JSX.Element {
  const id = createUniqueId();
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {ta('quality.level')}
      </label>
      <select
        id={id}
        class="select"
        aria-describedby={`${id}-help`}
        onChange={(event) => props.onInput(Number(event.currentTarget.value))}
      >
        <For each={LEVELS}>
          {(level) => (
            <option value={level} selected={level === props.level}>
              {ta(`quality.level.${level}` as AdminKey)}
            </option>
          )}
        </For>
      </select>
      <div class="field-help" id={`${id}-help`}>
        {ta('quality.level.help')}
      </div>
    </div>
  );
}

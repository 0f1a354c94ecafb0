/** The name of the account. Others know the stream by it, so a change is asked about first. */
import { createEffect, createSignal, type JSX, on } from 'solid-js';
import { afterRefusal } from '../../design/setting/choices.tsx';
import type { EditorProps } from '../../design/setting/editors.tsx';
import { ta } from '../../i18n/admin.ts';
import { Confirm, type Question } from '../chat/Confirm.tsx';
import { useSettings } from '../settings.tsx';
import { addressOf, publicHost } from './account.ts';

export interface UsernameEditorProps extends EditorProps<unknown> {
  /** Names the account had before. */
  formerNames: string[];
  /** The reason may be a former name that is not known here yet. */
  onRefused: () => void;
}

export function UsernameEditor(props: UsernameEditorProps): JSX.Element {
  const settings = useSettings();
  const stored = () => String(props.value ?? '');
  const [draft, setDraft] = createSignal(stored());
  const [question, setQuestion] = createSignal<Question>();
  createEffect(on(stored, (value) => setDraft(value), { defer: true }));
  afterRefusal(props, () => props.onRefused());
  const wanted = () => draft().trim().replace(/^@/, '').toLowerCase();
  const isChanged = () => wanted() !== '' && (wanted() !== stored() || props.invalid);

  const commit = () => {
    if (!isChanged()) return;
    const name = wanted();
    const isFormer = props.formerNames.includes(name);
    const isOn = settings.find('federation/enable')?.value === true;
    // Nobody knows the account while it does not exist.
    if (!isOn && !isFormer) return props.onCommit(name);
    const host = publicHost(settings.find('serverurl')?.value) ?? location.host;
    const [from, to] = [addressOf(stored(), host), addressOf(name, host)];
    setQuestion({
      title: ta('fedi.rename.title', { to }),
      text: ta('fedi.rename.text', { from, to }),
      warning: isFormer ? ta('fedi.rename.former') : undefined,
      action: ta(isFormer ? 'fedi.rename.former.action' : 'fedi.rename.action'),
      run: async () => props.onCommit(name, isFormer ? { confirmed: true } : undefined),
    });
  };

  return (
    <>
      <form
        class="username-form"
        onSubmit={(event) => {
          event.preventDefault();
          commit();
        }}
      >
        <input
          class="input"
          aria-label={ta('setting.federation/username.label')}
          value={draft()}
          maxLength={30}
          disabled={props.disabled}
          autocomplete="off"
          spellcheck={false}
          autocapitalize="none"
          aria-invalid={props.invalid ? 'true' : undefined}
          aria-describedby={props.describedBy}
          onInput={(event) => setDraft(event.currentTarget.value)}
        />
        <button type="submit" class="button" disabled={props.disabled || !isChanged()}>
          {ta('fedi.rename')}
        </button>
      </form>
      <Confirm question={question()} onClose={() => setQuestion(undefined)} />
    </>
  );
}

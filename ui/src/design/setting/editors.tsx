/** One editor for each kind of value. An editor keeps a draft and reports only a finished, changed value. */
import { createEffect, createSignal, type JSX, on } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { TagEditor } from '../TagEditor.tsx';
import { afterRefusal } from './choices.tsx';
import type { SaveOptions } from './saver.ts';

export interface EditorProps<Value> {
  id: string;
  value: Value;
  disabled: boolean;
  invalid: boolean;
  describedBy: string;
  onCommit: (value: Value, options?: SaveOptions) => void;
}

/** Text that follows the stored value until somebody types. */
export function createDraft(props: EditorProps<string>) {
  const [draft, setDraft] = createSignal(props.value);
  createEffect(
    on(
      () => props.value,
      (value) => setDraft(value),
      { defer: true },
    ),
  );
  const commit = () => {
    // After an error the same text may be sent again; it is the only way to retry.
    if (draft() !== props.value || props.invalid) props.onCommit(draft());
  };
  return { draft, setDraft, commit, revert: () => setDraft(props.value) };
}

export function TextEditor(
  props: EditorProps<string> & { type: 'text' | 'url'; maxLength: number | null },
): JSX.Element {
  const { draft, setDraft, commit, revert } = createDraft(props);
  return (
    <input
      id={props.id}
      class="input"
      type={props.type}
      value={draft()}
      maxLength={props.maxLength ?? undefined}
      disabled={props.disabled}
      autocomplete="off"
      aria-invalid={props.invalid ? 'true' : undefined}
      aria-describedby={props.describedBy}
      onInput={(event) => setDraft(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
        if (event.key === 'Escape') revert();
      }}
    />
  );
}

export function LongTextEditor(
  props: EditorProps<string> & { code: boolean; rows: number; maxLength: number | null },
): JSX.Element {
  const { draft, setDraft, commit } = createDraft(props);
  return (
    <textarea
      id={props.id}
      class="textarea"
      data-code={props.code}
      spellcheck={!props.code}
      rows={props.rows}
      value={draft()}
      maxLength={props.maxLength ?? undefined}
      disabled={props.disabled}
      aria-invalid={props.invalid ? 'true' : undefined}
      aria-describedby={props.describedBy}
      onInput={(event) => setDraft(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) commit();
      }}
    />
  );
}

export function NumberEditor(props: EditorProps<number> & { min?: number | null; max?: number | null }): JSX.Element {
  const [draft, setDraft] = createSignal(String(props.value));
  createEffect(
    on(
      () => props.value,
      (value) => setDraft(String(value)),
      { defer: true },
    ),
  );
  const commit = () => {
    // Half a number is not worth a question to the server: back to what holds.
    if (draft().trim() === '' || !Number.isFinite(Number(draft()))) setDraft(String(props.value));
    else if (Number(draft()) !== props.value || props.invalid) props.onCommit(Number(draft()));
  };
  return (
    <input
      id={props.id}
      class="input input-number"
      type="number"
      inputmode="numeric"
      value={draft()}
      min={props.min ?? undefined}
      max={props.max ?? undefined}
      disabled={props.disabled}
      autocomplete="off"
      aria-invalid={props.invalid ? 'true' : undefined}
      aria-describedby={props.describedBy}
      onInput={(event) => setDraft(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
        if (event.key === 'Escape') setDraft(String(props.value));
      }}
    />
  );
}

export function SwitchEditor(props: EditorProps<boolean>): JSX.Element {
  return (
    <input
      id={props.id}
      class="switch"
      type="checkbox"
      role="switch"
      checked={props.value}
      aria-checked={props.value}
      disabled={props.disabled}
      aria-describedby={props.describedBy}
      ref={(input) =>
        afterRefusal(props, () => {
          input.checked = props.value;
        })
      }
      onChange={(event) => props.onCommit(event.currentTarget.checked)}
    />
  );
}

export function TextsEditor(props: EditorProps<string[]>): JSX.Element {
  return (
    <TagEditor
      id={props.id}
      values={props.value}
      disabled={props.disabled}
      describedBy={props.describedBy}
      placeholder={ta('editor.tag.add')}
      removeLabel={(value) => ta('editor.tag.remove', { value })}
      onChange={props.onCommit}
    />
  );
}

/** For a kind this page does not know yet: the value as JSON, so that nothing is out of reach. */
export function JsonEditor(props: EditorProps<unknown>): JSX.Element {
  const [problem, setProblem] = createSignal(false);
  const asText = () => JSON.stringify(props.value, null, 2) ?? '';
  return (
    <LongTextEditor
      {...props}
      value={asText()}
      invalid={props.invalid || problem()}
      code={true}
      rows={6}
      maxLength={null}
      onCommit={(text) => {
        try {
          props.onCommit(JSON.parse(text));
          setProblem(false);
        } catch {
          setProblem(true);
        }
      }}
    />
  );
}

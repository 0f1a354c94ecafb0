/** Editors for texts of more than a few words. */
import { createEffect, type JSX, on, onMount } from 'solid-js';
import { ta } from '../../i18n/admin.ts';
import { number } from '../../i18n/format.ts';
import { createDraft, type EditorProps } from './editors.tsx';
import { MarkdownArea, type MarkdownPlace } from './MarkdownArea.tsx';

/** Which settings are not shown on the page but in the chat or in posts. */
const PLACES: Record<string, MarkdownPlace> = {
  welcomemessage: 'chat',
  'schedule/remindermessage': 'chat',
  'federation/livemessage': 'post',
};

export const placeOf = (path: string): MarkdownPlace => PLACES[path] ?? 'page';

export function MarkdownEditor(
  props: EditorProps<string> & { place: MarkdownPlace; rows: number; maxLength: number | null },
): JSX.Element {
  const { draft, setDraft, commit } = createDraft(props);
  return (
    <MarkdownArea
      id={props.id}
      value={draft()}
      place={props.place}
      rows={props.rows}
      disabled={props.disabled}
      invalid={props.invalid}
      describedBy={props.describedBy}
      maxLength={props.maxLength ?? undefined}
      onInput={setDraft}
      onDone={commit}
    />
  );
}

/** A sentence or two: one line that wraps, as tall as it needs to be, with how much room is left. */
export function GrowingTextEditor(props: EditorProps<string> & { maxLength: number }): JSX.Element {
  const { draft, setDraft, commit, revert } = createDraft(props);
  let area: HTMLTextAreaElement | undefined;

  const grow = () => {
    if (!area) return;
    area.style.height = 'auto';
    // The border is not part of what scrolls.
    area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
  };
  onMount(grow);
  createEffect(on(draft, grow));

  const count = () => [...draft()].length;
  return (
    <div class="growing-text">
      <textarea
        ref={(element) => {
          area = element;
        }}
        id={props.id}
        class="textarea"
        rows={1}
        value={draft()}
        maxLength={props.maxLength}
        disabled={props.disabled}
        aria-invalid={props.invalid ? 'true' : undefined}
        aria-describedby={`${props.describedBy} ${props.id}-count`}
        // It is one line for the server; what is pasted becomes one.
        onInput={(event) => setDraft(event.currentTarget.value.replace(/\s*\n\s*/g, ' '))}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Escape') revert();
          if (event.key !== 'Enter') return;
          event.preventDefault();
          commit();
        }}
      />
      <span class="text-count" id={`${props.id}-count`}>
        {ta('editor.count', { count: number(count()), most: number(props.maxLength) })}
      </span>
    </div>
  );
}

/** A text in Markdown, with buttons for those who do not know it by heart and a preview of what comes out. */
import './markdown-area.css';
import { createSignal, For, type JSX, Show } from 'solid-js';
import { api } from '../../api.ts';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { Drawing } from '../Icon.tsx';
import { apply, COMMANDS, type Command, SHORTCUTS } from './markdown-commands.ts';

/** Where the text will be shown: each place keeps other markup. */
export type MarkdownPlace = 'page' | 'chat' | 'post';

const DRAWINGS: Record<Command, string> = {
  bold: 'M7 5h6a3.5 3.5 0 0 1 0 7H7zM7 12h7a3.5 3.5 0 0 1 0 7H7z',
  italic: 'M10 5h8M6 19h8M14.5 5l-5 14',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.4 1.4M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.4-1.4',
  heading: 'M6 5v14M18 5v14M6 12h12',
  list: 'M5 6.5v.1M5 12v.1M5 17.5v.1M9.5 6.5H20M9.5 12H20M9.5 17.5H20',
  quote: 'M5 17c2.5-1 3.5-3 3.5-6H5V6.5h5V11M14 17c2.5-1 3.5-3 3.5-6H14V6.5h5V11',
  code: 'm8.5 7-5 5 5 5M15.5 7l5 5-5 5',
};

const KEYS: Partial<Record<Command, string>> = Object.fromEntries(
  Object.entries(SHORTCUTS).map(([key, command]) => [command, key.toUpperCase()]),
);

export interface MarkdownAreaProps {
  id: string;
  value: string;
  place: MarkdownPlace;
  rows: number;
  disabled?: boolean;
  invalid?: boolean;
  describedBy?: string;
  maxLength?: number;
  onInput: (text: string) => void;
  /** The text is left, or Ctrl-Enter is pressed in it. */
  onDone?: () => void;
}

export function MarkdownArea(props: MarkdownAreaProps): JSX.Element {
  const [html, setHtml] = createSignal<string>();
  const [failed, setFailed] = createSignal(false);
  const [stop, setStop] = createSignal(0);
  let area: HTMLTextAreaElement | undefined;
  let asked = 0;

  const isPreviewed = () => html() !== undefined || failed();

  const run = (command: Command) => {
    if (!area || props.disabled) return;
    const change = apply(command, { text: area.value, start: area.selectionStart, end: area.selectionEnd });
    area.focus();
    area.setSelectionRange(change.from, change.to);
    // Typed for the person where the browser can, so that Ctrl-Z takes it back.
    const isTyped = change.insert !== '' && document.execCommand?.('insertText', false, change.insert);
    if (!isTyped) area.setRangeText(change.insert, change.from, change.to, 'end');
    area.setSelectionRange(change.start, change.end);
    props.onInput(area.value);
  };

  const preview = async () => {
    asked += 1;
    const mine = asked;
    if (isPreviewed()) {
      setHtml(undefined);
      setFailed(false);
      return;
    }
    try {
      const body = { text: props.value, place: props.place };
      const answer = await api.post<{ html: string }>('/api/admin/markdown', body);
      if (mine === asked) setHtml(answer.html);
    } catch {
      if (mine === asked) setFailed(true);
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const command = isCommand ? SHORTCUTS[event.key.toLowerCase()] : undefined;
    if (command) {
      event.preventDefault();
      run(command);
    } else if (event.key === 'Enter' && isCommand) {
      props.onDone?.();
    }
  };

  /** One stop for the Tab key; arrows move between the buttons. */
  const onArrow = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const buttons = [...event.currentTarget.querySelectorAll('button')];
    const isMirrored = getComputedStyle(event.currentTarget).direction === 'rtl';
    const step = { ArrowRight: isMirrored ? -1 : 1, ArrowLeft: isMirrored ? 1 : -1 }[event.key];
    if (!step || isPreviewed()) return;
    event.preventDefault();
    const next = (stop() + step + buttons.length) % buttons.length;
    setStop(next);
    buttons[next]?.focus();
  };

  // A link in the preview must not lead away from a text that is being written.
  const keepHere = (event: MouseEvent) => {
    if (event.target instanceof Element && event.target.closest('a')) event.preventDefault();
  };

  return (
    <div class="markdown-area" data-preview={isPreviewed() ? 'true' : undefined}>
      <div
        class="markdown-tools"
        role="toolbar"
        aria-label={ta('markdown.tools')}
        aria-controls={props.id}
        onKeyDown={onArrow}
      >
        <For each={COMMANDS}>
          {(command, index) => (
            <button
              type="button"
              class="icon-button"
              tabindex={stop() === index() ? 0 : -1}
              aria-label={ta(`markdown.${command}` as AdminKey)}
              title={`${ta(`markdown.${command}` as AdminKey)}${KEYS[command] ? ` (Ctrl-${KEYS[command]})` : ''}`}
              aria-keyshortcuts={KEYS[command] ? `Control+${KEYS[command]} Meta+${KEYS[command]}` : undefined}
              disabled={props.disabled || isPreviewed()}
              // The text keeps the focus, and with it the selection.
              onMouseDown={(event) => event.preventDefault()}
              onFocus={() => setStop(index())}
              onClick={() => run(command)}
            >
              <Drawing path={DRAWINGS[command]} />
            </button>
          )}
        </For>
        <button
          type="button"
          class="button markdown-preview-button"
          data-size="small"
          tabindex={isPreviewed() || stop() === COMMANDS.length ? 0 : -1}
          aria-pressed={isPreviewed()}
          onMouseDown={(event) => event.preventDefault()}
          onFocus={() => setStop(COMMANDS.length)}
          onClick={(event) => {
            // The text is about to be hidden: it is left first, as by any other press elsewhere, and so kept.
            event.currentTarget.focus();
            void preview();
          }}
        >
          {ta('markdown.preview')}
        </button>
      </div>
      <div class="markdown-body">
        <textarea
          ref={(element) => {
            area = element;
          }}
          id={props.id}
          class="textarea"
          data-code={props.place === 'page'}
          rows={props.rows}
          dir="auto"
          value={props.value}
          maxLength={props.maxLength}
          disabled={props.disabled}
          aria-invalid={props.invalid ? 'true' : undefined}
          aria-describedby={props.describedBy}
          onInput={(event) => props.onInput(event.currentTarget.value)}
          onBlur={() => props.onDone?.()}
          onKeyDown={onKeyDown}
        />
        <Show when={isPreviewed()}>
          <section
            class="markdown-preview"
            aria-label={ta('markdown.preview')}
            tabindex="0"
            ref={(element) => element.addEventListener('click', keepHere)}
          >
            <Show when={!failed()} fallback={<p class="field-error">{ta('markdown.failed')}</p>}>
              {/* Cleaned by the server, as it is for viewers. */}
              <Show when={html()} fallback={<p class="muted">{ta('markdown.empty')}</p>}>
                {(shown) => <div class="prose" dir="auto" innerHTML={shown()} />}
              </Show>
            </Show>
          </section>
        </Show>
      </div>
    </div>
  );
}

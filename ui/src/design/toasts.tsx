/**
 * Short notes at the bottom of the page, read out politely. While a dialog is open, what lies behind it is neither seen
 * nor read: the notes are then in the dialog.
 */
import { createSignal, For, type JSX, Show } from 'solid-js';
import { t } from '../i18n/index.ts';
import { Icon } from './Icon.tsx';

/** What can still be done about what the note says. */
export interface ToastAction {
  label: string;
  onSelect: () => void;
}

interface Toast {
  id: number;
  text: string;
  action: ToastAction | undefined;
}

/** Long enough to read two lines without hurry. */
const SHOWN_MS = 6_000;
/** Long enough to change one's mind and get there. */
const SHOWN_WITH_ACTION_MS = 12_000;

const [toasts, setToasts] = createSignal<Toast[]>([]);
let nextId = 0;

const dismiss = (id: number) => setToasts((all) => all.filter((one) => one.id !== id));

/** Nothing may be possible only here: the note goes by itself. */
export function toast(text: string, action?: ToastAction): void {
  nextId += 1;
  const id = nextId;
  setToasts((all) => [...all, { id, text, action }]);
  setTimeout(() => dismiss(id), action ? SHOWN_WITH_ACTION_MS : SHOWN_MS);
}

/** The open dialogs, the last above all others. */
const [dialogs, setDialogs] = createSignal<string[]>([]);

export function dialogClosed(id: string): void {
  setDialogs((all) => all.filter((one) => one !== id));
}

export function dialogOpened(id: string): void {
  setDialogs((all) => [...all.filter((one) => one !== id), id]);
}

/** Each place is there before its notes: only what is added to it is read out. */
export function Toasts(props: { dialog?: string }): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      <For each={dialogs().at(-1) === props.dialog ? toasts() : []}>
        {(one) => (
          <div class="toast">
            <span>{one.text}</span>
            <Show when={one.action}>
              {(action) => (
                <button
                  type="button"
                  class="toast-action"
                  onClick={() => {
                    dismiss(one.id);
                    action().onSelect();
                  }}
                >
                  {action().label}
                </button>
              )}
            </Show>
            <button type="button" class="icon-button" aria-label={t('common.dismiss')} onClick={() => dismiss(one.id)}>
              <Icon name="cross" />
            </button>
          </div>
        )}
      </For>
    </div>
  );
}

/** Short notes at the bottom of the page, read out politely. */
import { createSignal, For, type JSX } from 'solid-js';
import { t } from '../i18n/index.ts';
import { Icon } from './Icon.tsx';

interface Toast {
  id: number;
  text: string;
}

/** Long enough to read two lines without hurry. */
const SHOWN_MS = 6_000;

const [toasts, setToasts] = createSignal<Toast[]>([]);
let nextId = 0;

const dismiss = (id: number) => setToasts((all) => all.filter((one) => one.id !== id));

export function toast(text: string): void {
  nextId += 1;
  const id = nextId;
  setToasts((all) => [...all, { id, text }]);
  setTimeout(() => dismiss(id), SHOWN_MS);
}

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      <For each={toasts()}>
        {(one) => (
          <div class="toast">
            <span>{one.text}</span>
            <button type="button" class="icon-button" aria-label={t('common.dismiss')} onClick={() => dismiss(one.id)}>
              <Icon name="cross" />
            </button>
          </div>
        )}
      </For>
    </div>
  );
}

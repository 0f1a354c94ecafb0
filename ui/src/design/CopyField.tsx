/** A value to take elsewhere: shown, copied with one press, hidden behind dots where it is a secret. */
import { createSignal, type JSX, onCleanup, Show } from 'solid-js';
import { t } from '../i18n/index.ts';
import { Icon } from './Icon.tsx';

export interface CopyFieldProps {
  /** What it is, for the names of the buttons. */
  label: string;
  value: string;
  secret?: { show: string; hide: string };
}

/** Without a secure context there is no clipboard API; the old command still works on a selection. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

/** Copies, and says for a moment that it did. */
function createCopier(onRefused: () => void) {
  const [copied, setCopied] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));

  const copy = async (text: string) => {
    try {
      await copyText(text);
    } catch {
      onRefused();
      return;
    }
    setCopied(true);
    clearTimeout(timer);
    timer = setTimeout(() => setCopied(false), 2_000);
  };
  return { copied, copy };
}

export function CopyField(props: CopyFieldProps): JSX.Element {
  const [shown, setShown] = createSignal(false);
  // Refused by the browser: show the value, so that it can be selected by hand.
  const { copied, copy } = createCopier(() => setShown(true));

  return (
    <div class="copy-field" classList={{ 'is-copied': copied() }}>
      <code>{props.secret && !shown() ? '•'.repeat(20) : props.value}</code>
      <Show when={props.secret}>
        {(secret) => (
          <button
            type="button"
            class="icon-button"
            aria-label={`${shown() ? secret().hide : secret().show}: ${props.label}`}
            title={shown() ? secret().hide : secret().show}
            onClick={() => setShown(!shown())}
          >
            <Icon name={shown() ? 'eye-off' : 'eye'} />
          </button>
        )}
      </Show>
      <CopyButton label={props.label} copied={copied()} onCopy={() => void copy(props.value)} />
    </div>
  );
}

/** The same for several lines, such as a piece of a configuration file. */
export function CopyBlock(props: { label: string; value: string }): JSX.Element {
  const { copied, copy } = createCopier(() => {});
  return (
    <div class="copy-field copy-block" classList={{ 'is-copied': copied() }}>
      <pre tabindex="0">{props.value}</pre>
      <CopyButton label={props.label} copied={copied()} onCopy={() => void copy(props.value)} />
    </div>
  );
}

function CopyButton(props: { label: string; copied: boolean; onCopy: () => void }): JSX.Element {
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label={`${t('common.copy')}: ${props.label}`}
        title={props.copied ? t('common.copied') : t('common.copy')}
        onClick={() => props.onCopy()}
      >
        <Icon name={props.copied ? 'check' : 'copy'} />
      </button>
      <span class="visually-hidden" role="status">
        {props.copied ? t('common.copied') : ''}
      </span>
    </>
  );
}

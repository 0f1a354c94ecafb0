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
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

export function CopyField(props: CopyFieldProps): JSX.Element {
  const [shown, setShown] = createSignal(false);
  const [copied, setCopied] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));

  const copy = async () => {
    try {
      await copyText(props.value);
    } catch {
      // The browser refused: show the value, so that it can be selected by hand.
      setShown(true);
      return;
    }
    setCopied(true);
    clearTimeout(timer);
    timer = setTimeout(() => setCopied(false), 2_000);
  };

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
      <button
        type="button"
        class="icon-button"
        aria-label={`${t('common.copy')}: ${props.label}`}
        title={copied() ? t('common.copied') : t('common.copy')}
        onClick={() => void copy()}
      >
        <Icon name={copied() ? 'check' : 'copy'} />
      </button>
      <span class="visually-hidden" role="status">
        {copied() ? t('common.copied') : ''}
      </span>
    </div>
  );
}

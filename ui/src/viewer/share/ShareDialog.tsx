/** Ways to show the stream to others. */
import { createSignal, createUniqueId, type JSX, Show } from 'solid-js';
import { CopyBlock, CopyField } from '../../design/CopyField.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { embedCode, pageAddress } from './codes.ts';
import { t } from './texts.ts';

export interface ShareDialogProps {
  name: string;
  /** What is on, if anything has a title. */
  title: string;
  hasChat: boolean;
  onClose: () => void;
}

export function ShareDialog(props: ShareDialogProps): JSX.Element {
  const checkId = createUniqueId();
  const [withChat, setWithChat] = createSignal(false);
  const address = pageAddress();
  const canSend = typeof navigator.share === 'function';
  // Rejects when the person changes their mind.
  const send = () => navigator.share({ title: props.title || props.name, url: address }).catch(() => {});
  const stream = new URL('/hls/stream.m3u8', address).href;

  return (
    <Dialog open title={t('share.title')} onClose={props.onClose}>
      <div class="field">
        <span class="field-label">{t('share.link')}</span>
        <CopyField label={t('share.link')} value={address} />
      </div>
      <div class="field">
        <span class="field-label">{t('share.code')}</span>
        <CopyBlock label={t('share.code')} value={embedCode(address, props.name, props.hasChat && withChat())} />
        <p class="field-help">{t('share.code.help')}</p>
        <Show when={props.hasChat}>
          <label class="share-check" for={checkId}>
            <input
              id={checkId}
              type="checkbox"
              checked={withChat()}
              onChange={(event) => setWithChat(event.currentTarget.checked)}
            />
            {t('share.withChat')}
          </label>
        </Show>
      </div>
      <div class="field">
        <span class="field-label">{t('share.player')}</span>
        <CopyField label={t('share.player')} value={stream} />
      </div>
      <div class="dialog-actions">
        <Show when={canSend}>
          <button type="button" class="button" data-look="primary" onClick={() => void send()}>
            {t('share.send')}
          </button>
        </Show>
        <button type="button" class="button" onClick={() => props.onClose()}>
          {t('common.close')}
        </button>
      </div>
    </Dialog>
  );
}

/** Ways to show a past stream to others, from its beginning or from a place in it. */
import { createSignal, createUniqueId, type JSX, Show } from 'solid-js';
import { CopyBlock, CopyField } from '../../../design/CopyField.tsx';
import { Dialog } from '../../../design/Dialog.tsx';
import { pageAddress, playerCode } from '../../share/codes.ts';
import { videoFramePath, videoPath } from '../route.ts';
import { t } from '../texts.ts';
import { clockOf } from '../times.ts';
import { titleOf } from '../VideoCard.tsx';
import type { Video } from '../wire.ts';

export interface ShareVideoProps {
  video: Video;
  /** Seconds: where it was when this was opened. */
  at: number;
  onClose: () => void;
}

export default function ShareVideo(props: ShareVideoProps): JSX.Element {
  const checkId = createUniqueId();
  const [fromHere, setFromHere] = createSignal(false);
  const at = Math.floor(props.at);
  const withStart = (path: string) => {
    // The operator's public address, which the server writes into the page.
    const address = new URL(path, pageAddress());
    if (fromHere()) address.searchParams.set('t', String(at));
    return address.href;
  };
  const link = () => withStart(videoPath(props.video.id));
  const canSend = typeof navigator.share === 'function';
  // Rejects when the person changes their mind.
  const send = () => navigator.share({ title: titleOf(props.video), url: link() }).catch(() => {});

  return (
    <Dialog open title={t('video.share')} onClose={props.onClose}>
      <div class="field">
        <span class="field-label">{t('video.share.link')}</span>
        <CopyField label={t('video.share.link')} value={link()} />
      </div>
      <Show when={at > 0}>
        <label class="video-share-check" for={checkId}>
          <input
            id={checkId}
            type="checkbox"
            checked={fromHere()}
            onChange={(event) => setFromHere(event.currentTarget.checked)}
          />
          {t('video.share.from', { time: clockOf(at) })}
        </label>
      </Show>
      <div class="field">
        <span class="field-label">{t('video.share.code')}</span>
        <CopyBlock
          label={t('video.share.code')}
          value={playerCode(withStart(videoFramePath(props.video.id)), titleOf(props.video))}
        />
        <p class="field-help">{t('video.share.code.help')}</p>
      </div>
      <div class="field">
        <span class="field-label">{t('video.share.player')}</span>
        <CopyField label={t('video.share.player')} value={new URL(props.video.playlist, pageAddress()).href} />
      </div>
      <div class="dialog-actions">
        <Show when={canSend}>
          <button type="button" class="button" data-look="primary" onClick={() => void send()}>
            {t('video.share.send')}
          </button>
        </Show>
        <button type="button" class="button" onClick={() => props.onClose()}>
          {t('common.close')}
        </button>
      </div>
    </Dialog>
  );
}

/** Whoever looks at the past should not miss what is on. */
import { type JSX, Show } from 'solid-js';
import type { Status } from '../../wire.ts';
import { t } from './texts.ts';

export function LiveHint(props: { status: Status }): JSX.Element {
  return (
    <Show when={props.status.streamState === 'live'}>
      <a class="videos-live" href="/">
        <strong>{t('videos.live')}</strong>
        <span dir="auto">{props.status.streamTitle || t('viewer.live.title')}</span>
      </a>
    </Show>
  );
}

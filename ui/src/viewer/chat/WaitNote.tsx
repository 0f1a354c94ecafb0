/** When one can write again, below the field. */
import { type JSX, Show } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { clock } from '../../i18n/format.ts';
import { t } from '../../i18n/index.ts';

export function WaitNote(props: { seconds: number }): JSX.Element {
  return (
    <Show when={props.seconds > 0}>
      <span class="chat-slow">
        <Icon name="clock" />
        {/* Not read out every second. */}
        <span aria-live="off">{t('chat.wait', { time: clock(props.seconds) })}</span>
      </span>
    </Show>
  );
}

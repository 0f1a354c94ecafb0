/** The line that a moderator or the operator has pinned, above the others. */
import './pinned.css';
import { createUniqueId, type JSX, Show } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { t } from '../../i18n/index.ts';
import type { PinnedMessage as Pin } from '../../wire.ts';
import { Body } from './Body.tsx';
import { Glyph } from './Glyph.tsx';
import { setPinned } from './pins.tsx';
import type { Room } from './room.ts';

/** What the server calls the operator. */
const OPERATOR = 'operator';

export function PinnedMessage(props: { room: Room; pin: Pin }): JSX.Element {
  const labelId = createUniqueId();
  const label = () =>
    props.pin.pinnedBy === OPERATOR ? t('chat.pinned.operator') : t('chat.pinned', { name: props.pin.pinnedBy });
  return (
    <section class="chat-pinned" aria-labelledby={labelId}>
      <Glyph name="pin" />
      {/* Long ones are scrolled, also by keyboard. */}
      <div class="chat-pinned-text" tabindex="0">
        <p class="chat-pinned-head" id={labelId}>
          {label()}
        </p>
        <Show when={props.pin.message.user}>
          {(user) => (
            <span class="chat-name" data-color={user().displayColor & 7}>
              {user().displayName}
            </span>
          )}
        </Show>
        <Body html={props.pin.message.body} />
      </div>
      <Show when={props.room.isModerating()}>
        <button
          type="button"
          class="icon-button"
          aria-label={t('chat.unpin')}
          title={t('chat.unpin')}
          onClick={() => void setPinned(props.room, props.pin.message.id, false)}
        >
          <Icon name="cross" />
        </button>
      </Show>
    </section>
  );
}

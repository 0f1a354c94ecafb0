/** The place of the chat on the page: a column beside the picture, or over everything on a phone. */
import { createEffect, type JSX, on, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { Icon } from '../design/Icon.tsx';
import { t } from '../i18n/index.ts';
import type { ChatDoor } from './chat/door.ts';

export function ChatPlace(props: { door: ChatDoor }): JSX.Element {
  const { door } = props;
  let column: HTMLElement | undefined;
  let button: HTMLButtonElement | undefined;

  // What opens over the page takes the focus, and gives it back.
  createEffect(
    on(
      door.isOverlaid,
      (overlaid) => {
        if (overlaid) column?.focus();
        else button?.focus();
      },
      { defer: true },
    ),
  );

  return (
    <Show when={door.exists()}>
      <aside
        id="chat-container"
        class="chat"
        data-state={door.state()}
        aria-label={t('chat.title')}
        hidden={!door.isShown()}
        tabindex="-1"
        ref={(element) => {
          column = element;
        }}
      >
        <Show when={door.isShown() && door.parts()}>
          {(parts) => (
            <Dynamic
              component={parts().Chat}
              room={parts().room}
              tools={
                <>
                  <Dynamic component={parts().HeldButton} room={parts().room} />
                  <Show when={door.isOverlaid()}>
                    <Dynamic component={parts().UserMenu} room={parts().room} />
                  </Show>
                  <button
                    type="button"
                    class="icon-button"
                    aria-label={t('chat.hideChat')}
                    title={t('chat.hideChat')}
                    onClick={door.toggle}
                  >
                    <Icon name="cross" />
                  </button>
                </>
              }
            />
          )}
        </Show>
      </aside>
      <Show when={door.parts()}>{(parts) => <Dynamic component={parts().Dialogs} room={parts().room} />}</Show>
      <Show when={door.isNarrow() && !door.isShown() && door.isOpen()}>
        <button
          type="button"
          class="chat-button"
          ref={(element) => {
            button = element;
          }}
          onClick={door.toggle}
        >
          {t('chat.title')}
          <Show when={door.unseen() > 0}>
            <span class="chat-unseen" title={t('chat.unseen', { count: door.unseen() })}>
              {door.unseen() > 99 ? '99+' : door.unseen()}
            </span>
          </Show>
        </button>
      </Show>
    </Show>
  );
}

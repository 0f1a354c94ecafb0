/** The chat on the page: a column beside the picture, or over everything on a phone. */
import { createEffect, type JSX, on, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { Icon } from '../design/Icon.tsx';
import { t } from '../i18n/index.ts';
import type { ChatPanelState } from './chat/panel-state.ts';

export function ChatPanel(props: { panel: ChatPanelState }): JSX.Element {
  const { panel } = props;
  let column: HTMLElement | undefined;
  let button: HTMLButtonElement | undefined;

  // What opens over the page takes the focus, and gives it back.
  createEffect(
    on(
      panel.isOverlaid,
      (overlaid) => {
        if (overlaid) column?.focus();
        else button?.focus();
      },
      { defer: true },
    ),
  );

  return (
    <Show when={panel.exists()}>
      <aside
        id="chat-container"
        class="chat"
        data-state={panel.state()}
        aria-label={t('chat.title')}
        hidden={!panel.isShown()}
        tabindex="-1"
        ref={(element) => {
          column = element;
        }}
      >
        <Show when={panel.isShown() && panel.parts()}>
          {(parts) => (
            <Dynamic
              component={parts().Chat}
              room={parts().room}
              tools={
                <>
                  <Dynamic component={parts().HeldButton} room={parts().room} />
                  <Show when={panel.isOverlaid()}>
                    <Dynamic component={parts().UserMenu} room={parts().room} />
                  </Show>
                  <button
                    type="button"
                    class="icon-button"
                    aria-label={t('chat.hideChat')}
                    title={t('chat.hideChat')}
                    onClick={panel.toggle}
                  >
                    <Icon name="cross" />
                  </button>
                </>
              }
            />
          )}
        </Show>
      </aside>
      <Show when={panel.parts()}>{(parts) => <Dynamic component={parts().Dialogs} room={parts().room} />}</Show>
      <Show when={panel.isNarrow() && !panel.isShown() && panel.isOpen()}>
        <button
          type="button"
          class="chat-button"
          ref={(element) => {
            button = element;
          }}
          onClick={panel.toggle}
        >
          {t('chat.title')}
          <Show when={panel.unseen() > 0}>
            <span class="chat-unseen" title={t('chat.unseen', { count: panel.unseen() })}>
              {panel.unseen() > 99 ? '99+' : panel.unseen()}
            </span>
          </Show>
        </button>
      </Show>
    </Show>
  );
}

/** The chat on the page: a column beside the picture, or what its tab below the picture shows. */
import { type JSX, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { Icon } from '../design/Icon.tsx';
import { t } from '../i18n/index.ts';
import { CHAT_PANEL_ID, type ChatPanelState } from './chat/panel-state.ts';

/** One element in both places, which the style sheet puts where it belongs: nothing in it is lost when a phone is turned. */
export function ChatPanel(props: { panel: ChatPanelState }): JSX.Element {
  const { panel } = props;

  const hide = () => {
    panel.toggle();
    document.querySelector<HTMLElement>('.chat-open')?.focus();
  };

  return (
    <Show when={panel.exists()}>
      <aside
        id="chat-container"
        class="chat"
        data-state={panel.state()}
        aria-label={t('chat.title')}
        hidden={!panel.isShown()}
        tabindex="-1"
      >
        <div
          id={CHAT_PANEL_ID}
          class="chat-panel"
          {...(panel.isStacked() ? { role: 'tabpanel', 'aria-label': t('chat.title') } : {})}
        >
          <Show when={panel.isShown() && panel.parts()}>
            {(parts) => (
              <Dynamic
                component={parts().Chat}
                room={parts().room}
                tools={
                  <>
                    <Dynamic component={parts().HeldButton} room={parts().room} />
                    <Show when={!panel.isStacked()}>
                      <button
                        type="button"
                        class="icon-button"
                        aria-label={t('chat.hideChat')}
                        title={t('chat.hideChat')}
                        onClick={hide}
                      >
                        <Icon name="cross" />
                      </button>
                    </Show>
                  </>
                }
              />
            )}
          </Show>
        </div>
      </aside>
      <Show when={panel.parts()}>{(parts) => <Dynamic component={parts().Dialogs} room={parts().room} />}</Show>
    </Show>
  );
}

/** In the header while the column is hidden: brings it back, and says how much was said meanwhile. */
export function ChatOpener(props: { panel: ChatPanelState }): JSX.Element {
  const show = () => {
    props.panel.toggle();
    document.getElementById('chat-container')?.focus();
  };
  /** The number alone would not be read: the name of a button hides what is in it. */
  const name = () => {
    const count = props.panel.unseen();
    return count > 0 ? `${t('chat.showChat')} · ${t('chat.unseen', { count })}` : t('chat.showChat');
  };
  return (
    <Show when={props.panel.exists() && !props.panel.isStacked() && !props.panel.isShown()}>
      <button type="button" class="button chat-open" data-look="quiet" aria-label={name()} onClick={show}>
        {t('chat.title')}
        <Show when={props.panel.unseen() > 0}>
          <span class="chat-unseen" title={t('chat.unseen', { count: props.panel.unseen() })}>
            {props.panel.unseen() > 99 ? '99+' : props.panel.unseen()}
          </span>
        </Show>
      </button>
    </Show>
  );
}

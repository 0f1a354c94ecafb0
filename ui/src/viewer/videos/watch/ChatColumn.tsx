/** The chat of a past stream on its page: a column beside the picture, or what its tab below the picture shows. */
import { type JSX, Show } from 'solid-js';
import { api } from '../../../api.ts';
import { Icon } from '../../../design/Icon.tsx';
import { CHAT_PANEL_ID } from '../../chat/panel-state.ts';
import { t } from '../texts.ts';
import type { ReplayedChat, Video } from '../wire.ts';
import { type AskChat, createChatReplay } from './chat-replay.ts';
import { ReplayChat } from './ReplayChat.tsx';
import type { Replay } from './replay.ts';
import type { ReplayPanel } from './replay-panel.ts';

export function ChatColumn(props: { panel: ReplayPanel; video: Video; replay: Replay | undefined }): JSX.Element {
  const { panel } = props;
  const hide = () => {
    panel.toggle();
    document.querySelector<HTMLElement>('.chat-open')?.focus();
  };
  return (
    <aside
      id="chat-container"
      class="chat"
      data-state="replay"
      aria-label={t('video.chat')}
      hidden={!panel.isShown()}
      tabindex="-1"
    >
      <div
        id={CHAT_PANEL_ID}
        class="chat-panel"
        {...(panel.isStacked() ? { role: 'tabpanel', 'aria-label': t('video.chat') } : {})}
      >
        {/* Nothing is fetched for those who do not want to see it. */}
        <Show when={panel.isShown()}>
          <Follow
            video={props.video}
            replay={props.replay}
            tools={
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
            }
          />
        </Show>
      </div>
    </aside>
  );
}

function Follow(props: { video: Video; replay: Replay | undefined; tools: JSX.Element }): JSX.Element {
  const ask: AskChat = (from, to, after) => {
    const query = new URLSearchParams({ from: String(from), to: String(to) });
    if (after) query.set('after', after);
    return api.get<ReplayedChat>(`/api/videos/${props.video.id}/chat?${query}`);
  };
  return (
    <Show when={props.replay}>
      {(replay) => {
        const chat = createChatReplay({
          ask,
          position: () => replay().position(),
          duration: () => replay().duration(),
        });
        return <ReplayChat chat={chat} tools={props.tools} />;
      }}
    </Show>
  );
}

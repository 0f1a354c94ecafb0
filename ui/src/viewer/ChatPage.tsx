/** `/embed/chat/readonly` and `/embed/chat/readwrite`: the chat alone, for overlays, docks and windows of its own. */
import './chat/chat-page.css';
import { createMemo, type JSX, Show } from 'solid-js';
import { createServerClock } from '../clock.ts';
import type { ChatBoot, SiteConfig, Status } from '../wire.ts';
import { Chat, ReadOnlyChat } from './chat/Chat.tsx';
import { ChatHome } from './chat/ChatHome.tsx';
import { Dialogs } from './chat/Dialogs.tsx';
import { browserEnvironment } from './chat/environment.ts';
import { HeldButton } from './chat/HeldButton.tsx';
import { createRoom } from './chat/room.ts';
import { isRoomOpen } from './chat/rules.ts';
import { UserMenu } from './chat/UserMenu.tsx';
import { createSite } from './site.ts';
import { followVisibleHeight } from './visible-height.ts';

export type ChatMode = ChatBoot['chat'];

/** The address says it too, where the server put nothing into the page. */
export function chatMode(boot: ChatBoot | undefined, pathname: string): ChatMode {
  return boot?.chat ?? (pathname.includes('readwrite') ? 'readwrite' : 'readonly');
}

export function ChatPage(props: { boot?: ChatBoot; mode: ChatMode }): JSX.Element {
  const site = createSite(props.boot, { hasPicture: false });
  return (
    <Show when={site.loaded()}>
      {(page) => (
        <Page
          config={page().config}
          status={page().status}
          refreshConfig={site.refreshConfig}
          isReadOnly={props.mode === 'readonly'}
        />
      )}
    </Show>
  );
}

interface PageProps {
  config: SiteConfig;
  status: Status;
  refreshConfig: () => Promise<SiteConfig>;
  isReadOnly: boolean;
}

function Page(props: PageProps): JSX.Element {
  followVisibleHeight();
  const now = createServerClock(() => props.status.serverTime);
  const isOpen = createMemo(() => isRoomOpen(props.config, props.status, now()));
  const room = createRoom({
    config: () => props.config,
    isOpen,
    isCrowded: () => props.status.chatIsCrowded === true,
    environment: browserEnvironment(props.refreshConfig),
    isOverlay: props.isReadOnly,
  });
  return (
    <>
      <main
        id="chat-container"
        class="chat chat-page"
        data-state={room.state()}
        data-mode={props.isReadOnly ? 'readonly' : 'readwrite'}
      >
        <ChatHome name={props.config.name} isOverlay={props.isReadOnly} />
        <Show when={!props.isReadOnly} fallback={<ReadOnlyChat room={room} />}>
          <Chat
            room={room}
            tools={
              <>
                <HeldButton room={room} />
                <Show when={room.state() === 'open' || room.state() === 'fallback'}>
                  <UserMenu room={room} />
                </Show>
              </>
            }
          />
        </Show>
      </main>
      <Show when={!props.isReadOnly}>
        <Dialogs room={room} />
      </Show>
    </>
  );
}

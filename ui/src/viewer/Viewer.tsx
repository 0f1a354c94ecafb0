/** The public page: what is on, or when it was last. */
import './layout.css';
import { type JSX, Match, Show, Switch } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { LoadError, Skeleton } from '../design/Feedback.tsx';
import { t } from '../i18n/index.ts';
import type { SiteConfig, Status, ViewerBoot } from '../wire.ts';
import { Actions } from './Actions.tsx';
import { ChatOpener, ChatPanel } from './ChatPanel.tsx';
import { createChatPanelState } from './chat/panel-state.ts';
import { Details } from './Details.tsx';
import { Footer, Header } from './Frame.tsx';
import { FollowButton } from './fediverse/FollowButton.tsx';
import { Stage } from './Stage.tsx';
import { ShareButton } from './share/ShareButton.tsx';
import { createSite } from './site.ts';
import { createTheatre } from './theatre.ts';
import { WithLatest } from './videos/parts.tsx';
import { followVisibleHeight } from './visible-height.ts';

export function Viewer(props: { boot?: ViewerBoot }): JSX.Element {
  const site = createSite(props.boot);
  return (
    <Switch>
      <Match when={site.loaded()}>
        {(page) => (
          <Page
            config={page().config}
            status={page().status}
            refreshConfig={site.refreshConfig}
            isConnectionLost={site.lost()}
          />
        )}
      </Match>
      <Match when={site.failed()}>
        <main class="viewer-waiting">
          <LoadError title={t('viewer.failed.title')} text={t('viewer.failed.text')} onRetry={() => void site.load()} />
        </main>
      </Match>
      <Match when={true}>
        <main class="viewer-waiting">
          <Skeleton lines={6} />
        </main>
      </Match>
    </Switch>
  );
}

interface PageProps {
  config: SiteConfig;
  status: Status;
  refreshConfig: () => Promise<SiteConfig>;
  isConnectionLost: boolean;
}

function Page(props: PageProps): JSX.Element {
  const chat = createChatPanelState({
    config: () => props.config,
    status: () => props.status,
    refreshConfig: () => props.refreshConfig(),
  });
  const theatre = createTheatre();
  followVisibleHeight();
  const account = () => (props.config.federation?.enabled ? props.config.federation.account : undefined);
  return (
    <div
      class="viewer"
      data-chat={chat.isShown() ? 'shown' : 'hidden'}
      data-layout={chat.isStacked() ? 'stacked' : 'beside'}
      data-theatre={theatre.isOn() && props.status.streamState !== 'offline' ? 'on' : undefined}
    >
      <a class="skip-link" href="#main">
        {t('common.skip')}
      </a>
      <Header config={props.config} state={props.status.streamState}>
        <ChatOpener panel={chat} />
        {/* Where the chat is a tab there is nothing in it for those who cannot talk. */}
        <Show when={(!chat.isStacked() || ['open', 'fallback'].includes(chat.state())) && chat.parts()}>
          {(parts) => (
            <Dynamic
              component={parts().UserMenu}
              room={parts().room}
              toggle={chat.isStacked() ? undefined : { isShown: chat.isShown(), onToggle: chat.toggle }}
            />
          )}
        </Show>
      </Header>
      <main id="main" tabindex="-1">
        <Stage config={props.config} status={props.status} theatre={theatre} />
        <Actions actions={props.config.externalActions ?? []}>
          {/* One entry each, with what it opens. */}
          <Show when={account()}>
            {(found) => (
              <li>
                <FollowButton account={found()} name={props.config.name} />
              </li>
            )}
          </Show>
          <li>
            <ShareButton
              name={props.config.name}
              title={props.status.streamTitle}
              hasChat={!props.config.chatDisabled}
            />
          </li>
        </Actions>
        <Show when={props.config.videos && props.status.streamState === 'offline'}>
          <Latest />
        </Show>
        <Details config={props.config} chat={chat} />
      </main>
      <ChatPanel panel={chat} />
      <Footer version={props.status.versionNumber} />
      <div class="connection-note" role="status">
        <Show when={props.isConnectionLost}>
          <span>{t('viewer.lost')}</span>
        </Show>
      </div>
    </div>
  );
}

/** Its place is there from the start: what is below does not move when it comes. */
function Latest(): JSX.Element {
  return (
    <div class="videos-latest-place">
      <WithLatest isOptional fallback={<Skeleton lines={3} />}>
        {(parts) => <Dynamic component={parts.LatestVideos} />}
      </WithLatest>
    </div>
  );
}

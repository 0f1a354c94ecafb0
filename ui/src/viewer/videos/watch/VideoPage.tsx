/** `/videos/{id}`: a past stream with what was said meanwhile, its chapters, and what the operator wrote about it. */
import { createMemo, createSignal, type JSX, lazy, Match, Show, Switch } from 'solid-js';
import { EmptyState, LoadError, Skeleton } from '../../../design/Feedback.tsx';
import { Drawing, Icon } from '../../../design/Icon.tsx';
import { type Tab, Tabs } from '../../../design/Tabs.tsx';
import { Time } from '../../../design/Time.tsx';
import type { SiteConfig, Status } from '../../../wire.ts';
import { CHAT_PANEL_ID } from '../../chat/panel-state.ts';
import { Footer, Header } from '../../Frame.tsx';
import { SHARE } from '../../share/ShareButton.tsx';
import { createSite } from '../../site.ts';
import { createTheatre } from '../../theatre.ts';
import { followVisibleHeight } from '../../visible-height.ts';
import { startOf } from '../address.ts';
import { LiveHint } from '../LiveHint.tsx';
import { VIDEOS_PATH } from '../route.ts';
import { t } from '../texts.ts';
import { day, spokenDuration } from '../times.ts';
import { titleOf } from '../VideoCard.tsx';
import type { Video, VideoBoot } from '../wire.ts';
import { createVideo } from './about.ts';
import { Chapters } from './Chapters.tsx';
import { ChatColumn } from './ChatColumn.tsx';
import { chaptersIn, isWorthListing } from './chapters.ts';
import { ReplayFrame } from './ReplayFrame.tsx';
import type { Replay } from './replay.ts';
import { CHAT_TAB, createReplayPanel, type ReplayPanel } from './replay-panel.ts';

const ShareVideo = lazy(() => import('./ShareVideo.tsx'));

export function VideoPage(props: { boot?: VideoBoot; id: string | undefined }): JSX.Element {
  const about = createVideo(props.id, props.boot?.video);
  const subject = () => {
    const video = about.video();
    if (about.state() === 'gone') return t('video.gone');
    return video ? titleOf(video) : t('videos.title');
  };
  const site = createSite(props.boot, { hasPicture: false, subject });
  return (
    <Switch>
      <Match when={site.loaded()}>
        {(page) => <Page config={page().config} status={page().status} about={about} />}
      </Match>
      <Match when={true}>
        <main class="viewer-waiting">
          <Show when={site.failed()} fallback={<Skeleton lines={6} />}>
            <LoadError
              title={t('viewer.failed.title')}
              text={t('viewer.failed.text')}
              onRetry={() => void site.load()}
            />
          </Show>
        </main>
      </Match>
    </Switch>
  );
}

interface PageProps {
  config: SiteConfig;
  status: Status;
  about: ReturnType<typeof createVideo>;
}

function Page(props: PageProps): JSX.Element {
  const { about } = props;
  const watched = () => (about.state() === 'gone' ? undefined : about.video());
  const panel = createReplayPanel(() => watched()?.hasChat ?? false);
  const theatre = createTheatre();
  followVisibleHeight();
  const [replay, setReplay] = createSignal<Replay>();
  return (
    <div
      class="viewer"
      data-page="video"
      data-chat={panel.isShown() ? 'shown' : 'hidden'}
      data-layout={panel.isStacked() ? 'stacked' : 'beside'}
      data-theatre={theatre.isOn() && watched() ? 'on' : undefined}
    >
      <a class="skip-link" href="#main">
        {t('common.skip')}
      </a>
      <Header config={props.config} state={props.status.streamState}>
        <Show when={panel.exists() && !panel.isStacked() && !panel.isShown()}>
          <button type="button" class="button chat-open" data-look="quiet" onClick={panel.toggle}>
            {t('chat.showChat')}
          </button>
        </Show>
      </Header>
      <main id="main" tabindex="-1">
        <Show when={watched()?.id} keyed fallback={<Missing about={about} />}>
          {/* By its id: what is learnt anew about it does not begin it anew. */}
          {(_id) => (
            <Show when={watched()}>
              {(video) => (
                <Watch
                  config={props.config}
                  status={props.status}
                  video={video()}
                  theatre={theatre}
                  panel={panel}
                  replay={replay()}
                  onReplay={setReplay}
                  onFailed={about.lookAgain}
                />
              )}
            </Show>
          )}
        </Show>
      </main>
      <Show when={panel.exists() && watched()}>
        {(video) => <ChatColumn panel={panel} video={video()} replay={replay()} />}
      </Show>
      <Footer version={props.status.versionNumber} />
    </div>
  );
}

function Missing(props: { about: PageProps['about'] }): JSX.Element {
  return (
    <div class="viewer-waiting">
      <Switch>
        <Match when={props.about.state() === 'gone'}>
          <Gone />
        </Match>
        <Match when={props.about.state() === 'failed'}>
          <LoadError title={t('video.failed')} text={t('viewer.failed.text')} onRetry={() => void props.about.load()} />
        </Match>
        <Match when={true}>
          <Skeleton lines={6} />
        </Match>
      </Switch>
    </div>
  );
}

function Gone(): JSX.Element {
  return (
    <EmptyState icon="video">
      <h1>{t('video.gone')}</h1>
      <p>{t('video.gone.text')}</p>
      <a class="button" href={VIDEOS_PATH}>
        {t('videos.all')}
      </a>
    </EmptyState>
  );
}

interface WatchProps {
  config: SiteConfig;
  status: Status;
  video: Video;
  theatre: ReturnType<typeof createTheatre>;
  panel: ReplayPanel;
  replay: Replay | undefined;
  onReplay: (replay: Replay) => void;
  onFailed: () => void;
}

function Watch(props: WatchProps): JSX.Element {
  const duration = () => props.replay?.duration() ?? props.video.duration;
  const chapters = createMemo(() => chaptersIn(props.video.chapters, duration()));
  const listed = () => (isWorthListing(chapters()) ? chapters() : []);
  /** Where it begins, once there is a player. */
  const [begin, setBegin] = createSignal(startOf(location.search) ?? 0);
  const position = () => props.replay?.position() ?? begin();

  const goTo = (seconds: number) => {
    setBegin(seconds);
    props.replay?.seek(seconds);
    props.replay?.press();
    // On a phone the list may be further down than the picture.
    document.getElementById('player')?.scrollIntoView({ block: 'nearest' });
  };
  const aboutVideo = () => (
    <div class="video-about">
      <Description video={props.video} />
      <Show when={listed().length > 0}>
        <Chapters chapters={listed()} position={position()} onChoose={goTo} />
      </Show>
      <p class="video-more">
        <a href={VIDEOS_PATH}>{t('videos.all')}</a>
      </p>
    </div>
  );
  const tabs: Tab[] = [
    {
      id: CHAT_TAB,
      get label() {
        return t('chat.title');
      },
      panelId: CHAT_PANEL_ID,
    },
    {
      id: 'about',
      get label() {
        return t('viewer.about');
      },
      content: aboutVideo,
    },
  ];

  return (
    <>
      <div class="stage-frame">
        <ReplayFrame
          video={props.video}
          chapters={listed()}
          around={{ name: props.config.name, logo: props.config.logo, theatre: props.theatre }}
          startAt={Math.min(begin(), Math.max(props.video.duration - 1, 0))}
          autoplay={props.config.autoplay ?? 'always'}
          hasChat={props.panel.exists()}
          onReplay={props.onReplay}
          onFailed={props.onFailed}
        />
        <div class="status-strip">
          <h1 class="status-title" dir="auto">
            {titleOf(props.video)}
          </h1>
          <Time at={props.video.startedAt} text={t('video.date', { date: day(props.video.startedAt) })} />
          <span>{spokenDuration(duration())}</span>
        </div>
      </div>
      <Seen visibility={props.video.visibility} />
      <LiveHint status={props.status} />
      <ul class="action-buttons" aria-label={t('viewer.actions')}>
        <li>
          <Share video={props.video} at={position} />
        </li>
      </ul>
      <section class="details" aria-label={t('video.about')}>
        <Show when={props.panel.exists() && props.panel.isStacked()} fallback={aboutVideo()}>
          <Tabs label={t('video.about')} tabs={tabs} chosen={props.panel.tab()} onChoose={props.panel.chooseTab} />
        </Show>
      </section>
    </>
  );
}

/** Who else can see it, where that is not everyone: the operator should not have to guess. */
function Seen(props: { visibility: Video['visibility'] }): JSX.Element {
  return (
    <Show when={props.visibility !== 'public'}>
      <p class="video-seen" data-visibility={props.visibility}>
        <Icon name={props.visibility === 'private' ? 'lock' : 'eye-off'} />
        <span>
          <strong>{t(props.visibility === 'private' ? 'video.private' : 'video.unlisted')}</strong>{' '}
          {t(props.visibility === 'private' ? 'video.private.text' : 'video.unlisted.text')}{' '}
          {/* Nobody else sees one that is private. */}
          <Show when={props.visibility === 'private'}>
            <a href="/admin/recordings">{t('video.private.change')}</a>
          </Show>
        </span>
      </p>
    </Show>
  );
}

function Description(props: { video: Video }): JSX.Element {
  return (
    <>
      <Show when={props.video.summary}>
        {/* As it was typed: text, never HTML. */}
        <p class="video-summary" dir="auto">
          {props.video.summary}
        </p>
      </Show>
      <Show when={props.video.tags.length > 0}>
        <ul class="identity-list" aria-label={t('viewer.tags')}>
          {props.video.tags.map((tag) => (
            <li>
              <a class="tag" href={`${VIDEOS_PATH}?${new URLSearchParams({ tag })}`} dir="auto">
                #{tag}
              </a>
            </li>
          ))}
        </ul>
      </Show>
    </>
  );
}

function Share(props: { video: Video; at: () => number }): JSX.Element {
  const [at, setAt] = createSignal<number>();
  let button: HTMLButtonElement | undefined;
  return (
    <>
      <button
        id="share-button"
        type="button"
        class="button action-button"
        aria-haspopup="dialog"
        ref={(element) => {
          button = element;
        }}
        onClick={() => setAt(props.at())}
      >
        <Drawing path={SHARE} />
        {t('viewer.share')}
      </button>
      <Show when={at() !== undefined}>
        <ShareVideo
          video={props.video}
          at={at() ?? 0}
          onClose={() => {
            setAt(undefined);
            button?.focus();
          }}
        />
      </Show>
    </>
  );
}

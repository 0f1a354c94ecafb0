/** The player of a past stream: a video, its controls, and what lies over it. Fetched with the engine that plays it. */
import '../../player/chrome.ts';
import '../../player/player.css';
import {
  type Component,
  createEffect,
  createSignal,
  type JSX,
  lazy,
  Match,
  onCleanup,
  onMount,
  Show,
  Switch,
} from 'solid-js';
import { Icon } from '../../../design/Icon.tsx';
import { Logo } from '../../../design/Logo.tsx';
import { language } from '../../../i18n/index.ts';
import { speakInControls } from '../../player/chrome.ts';
import type { MakeEngine } from '../../player/engine.ts';
import { perform } from '../../player/key-actions.ts';
import { listenForKeys } from '../../player/keys.ts';
import { watchConnection } from '../../player/no-connection.ts';
import type { PictureSize, Surroundings } from '../../player/Player.tsx';
import { Notice, Slate } from '../../player/Slate.tsx';
import type { Autoplay } from '../../player/sound.ts';
import { type PlayerState, stateOf } from '../../player/state.ts';
import { videoPath } from '../route.ts';
import { t } from '../texts.ts';
import { titleOf } from '../VideoCard.tsx';
import type { Chapter, Video } from '../wire.ts';
import { ReplayControls } from './ReplayControls.tsx';
import { createReplay, type Replay } from './replay.ts';

/** What most people never see. */
const Help = lazy(() => import('../../player/Help.tsx'));
const SoundOnly = lazy(() => import('../../player/SoundOnly.tsx'));

/** What it is in while it has nothing to show, which may be for want of a network. */
const STUCK: PlayerState[] = ['starting', 'buffering', 'error'];

export interface ReplayPlayerProps {
  makeEngine: MakeEngine;
  video: Video;
  chapters: Chapter[];
  around: Surroundings;
  /** Seconds. */
  startAt: number;
  autoplay: Autoplay;
  startMuted: boolean;
  hasChat: boolean;
  onReplay: (replay: Replay) => void;
  onState: (state: PlayerState) => void;
  onSize: (size: PictureSize) => void;
  onFailed: () => void;
}

export type ReplayPlayerView = Component<ReplayPlayerProps>;

export function ReplayPlayer(props: ReplayPlayerProps): JSX.Element {
  const [replay, setReplay] = createSignal<Replay>();
  const [spoken, setSpoken] = createSignal<string>();
  const [size, setSize] = createSignal<PictureSize>();
  const [isHelping, setHelping] = createSignal(false);
  let video: HTMLVideoElement | undefined;
  let controller: HTMLElement | undefined;

  const state = (): PlayerState => {
    const now = replay();
    if (!now) return 'starting';
    return stateOf({
      phase: now.phase(),
      paused: now.paused(),
      stalled: now.stalled(),
      needsPress: now.needsPress(),
      stream: 'offline',
    });
  };

  onMount(() => {
    if (!video) return;
    const created = createReplay({
      video,
      makeEngine: props.makeEngine,
      playlist: props.video.playlist,
      startAt: props.startAt,
      duration: props.video.duration,
      autoplay: props.autoplay,
      startMuted: props.startMuted,
      onFailed: () => props.onFailed(),
    });
    onCleanup(created.destroy);
    setReplay(created);
    props.onReplay(created);
  });
  onCleanup(
    listenForKeys((action) => {
      const now = replay();
      if (!video || !controller || !now) return;
      const onTheatre = props.around.theatre?.toggle;
      perform(action, { video, controller, playback: now, onTheatre, onHelp: () => setHelping(!isHelping()) });
    }),
  );
  const measure = () => {
    if (!video || video.readyState < HTMLMediaElement.HAVE_METADATA) return;
    const { videoWidth: width, videoHeight: height } = video;
    setSize({ width, height });
    props.onSize({ width, height });
  };
  const isSoundOnly = () => size()?.width === 0 && (replay()?.phase() ?? 'starting') !== 'starting';

  const secondsToRetry = watchConnection(() => {
    if (STUCK.includes(state())) replay()?.restart();
  });

  createEffect(() => props.onState(state()));
  createEffect(() => {
    const wanted = language();
    void speakInControls(wanted).then(
      () => setSpoken(wanted),
      () => setSpoken(wanted),
    );
  });

  const title = () => titleOf(props.video);
  return (
    <media-controller
      class="player-chrome"
      attr:nohotkeys=""
      attr:novolumepref=""
      attr:nomutedpref=""
      attr:defaultstreamtype="on-demand"
      ref={(element) => {
        controller = element;
      }}
    >
      {/* biome-ignore lint/a11y/useMediaCaption: a stream brings no captions along. */}
      <video
        slot="media"
        playsinline
        title={title()}
        ref={(element) => {
          video = element;
          for (const event of ['resize', 'loadeddata', 'playing']) element.addEventListener(event, measure);
        }}
      />
      <Show when={props.around.isFramed}>
        <a slot="top-chrome" class="player-home" href={videoPath(props.video.id)} target="_blank" rel="noopener">
          <Logo src={props.around.logo} size={28} />
          <span dir="auto">{title()}</span>
          <Icon name="external" />
        </a>
      </Show>
      <div slot="centered-chrome" class="player-over" attr:noautohide="">
        <Show when={isSoundOnly() && video}>
          {(element) => (
            <SoundOnly
              video={element()}
              name={props.around.name}
              logo={props.around.logo}
              title={title()}
              reason={undefined}
            />
          )}
        </Show>
        <Show
          when={STUCK.includes(state()) && secondsToRetry()}
          fallback={<Over replay={replay()} state={state()} playlist={props.video.playlist} />}
        >
          {(seconds) => (
            <div class="slate" role="status">
              <strong>{t('player.offline.title')}</strong>
              {/* Not read out every second. */}
              <p aria-live="off">{t('player.offline', { count: seconds() })}</p>
            </div>
          )}
        </Show>
        <Show when={replay()?.needsPress()}>
          <button type="button" class="player-press" onClick={() => replay()?.press()}>
            <Icon name="play" />
            <span class="visually-hidden">{t('player.play')}</span>
          </button>
        </Show>
        <Show when={replay()?.soundBlocked() && state() === 'playing'}>
          <button type="button" class="player-unmute" onClick={() => replay()?.unmute()}>
            <Icon name="muted" />
            {t('player.unmute')}
          </button>
        </Show>
        <Show when={isHelping()}>
          <Help
            hasTheatre={props.around.theatre !== undefined}
            hasChat={props.hasChat}
            onClose={() => setHelping(false)}
          />
        </Show>
      </div>
      <Show when={spoken()} keyed>
        <Show when={replay()}>
          {(ready) => (
            <ReplayControls
              replay={ready()}
              chapters={props.chapters}
              theatre={props.around.theatre}
              onHelp={() => setHelping(true)}
            />
          )}
        </Show>
      </Show>
    </media-controller>
  );
}

/** What there is to say over the picture. */
function Over(props: { replay: Replay | undefined; state: PlayerState; playlist: string }): JSX.Element {
  return (
    <Switch>
      <Match when={props.state === 'starting'}>
        <Slate state="starting" isNew={false} />
      </Match>
      <Match when={props.state === 'buffering'}>
        <span class="player-spinner" aria-hidden="true" />
      </Match>
      <Match when={props.state === 'error'}>
        <Notice title={t('video.error')} text={t('player.error')} onRetry={() => props.replay?.restart()} />
      </Match>
      <Match when={props.state === 'unplayable'}>
        <Unplayable codec={props.replay?.unplayable()?.codec} playlist={props.playlist} />
      </Match>
      <Match when={props.state === 'ended'}>
        <button type="button" class="player-press replay-again" onClick={() => props.replay?.restart()}>
          <Icon name="refresh" />
          <span class="visually-hidden">{t('video.again')}</span>
        </button>
      </Match>
    </Switch>
  );
}

export function Unplayable(props: { codec?: string | undefined; playlist: string }): JSX.Element {
  return (
    <div class="slate" role="status">
      <strong>
        <Show when={props.codec} fallback={t('video.unsupported')}>
          {(codec) => <>{t('player.unplayable.picture', { codec: codec() })}</>}
        </Show>
      </strong>
      <p>{t('player.unplayable.other')}</p>
      <code class="slate-address">{new URL(props.playlist, location.href).href}</code>
    </div>
  );
}

/** The player: a video, its controls, and what lies over it. Loaded only while there is a stream. */
import './chrome.ts';
import './player.css';
import { type Component, createEffect, createSignal, type JSX, lazy, on, onCleanup, onMount, Show } from 'solid-js';
import { api } from '../../api.ts';
import { Icon } from '../../design/Icon.tsx';
import { Logo } from '../../design/Logo.tsx';
import { addTexts, language, t } from '../../i18n/index.ts';
import { readPreference, writePreference } from '../../storage.ts';
import type { StreamState } from '../../wire.ts';
import { Controls } from './Controls.tsx';
import { speakInControls } from './chrome.ts';
import type { MakeEngine } from './engine.ts';
import { perform } from './key-actions.ts';
import { listenForKeys } from './keys.ts';
import { watchConnection } from './no-connection.ts';
import { createPlayback, type Playback } from './playback.ts';
import { type Reports, startReports } from './reports.ts';
import { Slate } from './Slate.tsx';
import { PLAYER_SESSION } from './session.ts';
import type { Autoplay } from './sound.ts';
import { type PlayerState, stateOf } from './state.ts';

/** What most people never see. */
const Help = lazy(() => import('./Help.tsx'));
const SoundOnly = lazy(() => import('./SoundOnly.tsx'));
/** Only where the server keeps something to go back to. Without a connection there is no bar, and everything else is. */
const Rewind = lazy(async () => {
  try {
    const parts = await import('./rewind/entry.ts');
    await addTexts(parts.texts);
    return { default: parts.Rewind };
  } catch {
    return { default: () => undefined };
  }
});

/** How the server counts viewers whose playlists come from a cache in between. */
const PING_INTERVAL_MS = 5_000;
/** What it is in while it has nothing to show, which may be for want of a network. */
const STUCK: PlayerState[] = ['starting', 'buffering', 'error'];
/** What the next stream may be better than. */
const OVER: PlayerState[] = ['ended', 'error', 'unplayable'];

/** What is around the picture. */
export interface Surroundings {
  /** Of the operator. */
  name: string;
  logo: string;
  /** Room for a larger picture; absent where there is none. */
  theatre?: { isOn: () => boolean; toggle: () => void };
  /** In a frame on another site: shows whose stream it is, and leads there. */
  isFramed?: boolean;
}

/** The size of the picture; 0 × 0 where there is only sound. */
export interface PictureSize {
  width: number;
  height: number;
}

/** Whoever waits for a picture, or has lost it, suffers more than anybody else, and has to be counted. */
const WATCHING: PlayerState[] = ['playing', 'buffering', 'error'];

export interface PlayerProps {
  makeEngine: MakeEngine;
  around: Surroundings;
  stream: StreamState;
  since: string | null;
  /** It began some seconds ago. */
  isNew: boolean;
  title: string;
  autoplay: Autoplay;
  startMuted: boolean;
  rewindMinutes?: number | undefined;
  onState: (state: PlayerState) => void;
  onLatency: (seconds: number | undefined) => void;
  onSize: (size: PictureSize) => void;
}

export type PlayerView = Component<PlayerProps>;

export function Player(props: PlayerProps): JSX.Element {
  const [playback, setPlayback] = createSignal<Playback>();
  const [spoken, setSpoken] = createSignal<string>();
  const [size, setSize] = createSignal<PictureSize>();
  const [isHelping, setHelping] = createSignal(false);
  const [isHinting, setHinting] = createSignal(false);
  /** Once there has been a picture: it goes first. */
  const [hasPlayed, setPlayed] = createSignal(false);
  let video: HTMLVideoElement | undefined;
  let controller: HTMLElement | undefined;
  let reports: Reports | undefined;

  const state = (): PlayerState => {
    const now = playback();
    if (!now) return 'starting';
    return stateOf({
      phase: now.phase(),
      paused: now.paused(),
      stalled: now.stalled(),
      needsPress: now.needsPress(),
      stream: props.stream,
    });
  };

  onMount(() => {
    if (!video) return;
    const created = createPlayback({
      video,
      makeEngine: props.makeEngine,
      autoplay: props.autoplay,
      startMuted: props.startMuted,
      lowLatency: readPreference('latency') !== 'relaxed',
    });
    onCleanup(created.destroy);
    setPlayback(created);
    reports = startReports(created.measures, () => props.stream === 'live' && WATCHING.includes(state()));
    onCleanup(reports.stop);
  });
  onCleanup(
    listenForKeys((action) => {
      const now = playback();
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
  const isSoundOnly = () => size()?.width === 0 && (playback()?.phase() ?? 'starting') === 'running';

  const secondsToRetry = watchConnection(() => {
    if (STUCK.includes(state())) playback()?.retry();
  });

  createEffect(() => props.onState(state()));
  createEffect(() => state() === 'playing' && setPlayed(true));
  createEffect(() => props.onLatency(playback()?.latency()));
  createEffect(() => {
    const wanted = language();
    void speakInControls(wanted).then(
      () => setSpoken(wanted),
      () => setSpoken(wanted),
    );
  });
  createEffect(() => {
    if (state() !== 'playing' && state() !== 'buffering') return;
    const ping = () => void api.get(`/api/ping?sid=${PLAYER_SESSION}`).catch(() => {});
    ping();
    const timer = setInterval(ping, PING_INTERVAL_MS);
    onCleanup(() => clearInterval(timer));
  });
  // The next stream has the same address: what ended or broke starts anew with it.
  createEffect(
    on(
      () => [props.since, props.stream] as const,
      () => {
        if (props.stream === 'live' && OVER.includes(state())) playback()?.restart();
      },
      { defer: true },
    ),
  );

  createEffect(
    on(
      () => props.stream,
      (now, before) => {
        if (now !== 'live' || before !== 'waiting') return;
        playback()?.forgetStalls();
        reports?.forget();
      },
    ),
  );

  const soundReason = () => {
    const codec = playback()?.isListening() ? playback()?.unplayable()?.codec : undefined;
    return codec && t('player.unplayable.picture', { codec });
  };

  const chooseLowLatency = (on: boolean) => {
    writePreference('latency', on ? null : 'relaxed');
    playback()?.chooseLowLatency(on);
  };

  return (
    <media-controller
      class="player-chrome"
      attr:nohotkeys=""
      attr:novolumepref=""
      attr:nomutedpref=""
      attr:noautoseektolive=""
      attr:defaultstreamtype="live"
      attr:liveedgeoffset={playback()?.lowLatency() === false ? '12' : '6'}
      ref={(element) => {
        controller = element;
      }}
    >
      {/* biome-ignore lint/a11y/useMediaCaption: a live stream brings no captions along. */}
      <video
        slot="media"
        playsinline
        title={props.title || undefined}
        ref={(element) => {
          video = element;
          for (const event of ['resize', 'loadeddata', 'playing']) element.addEventListener(event, measure);
        }}
      />
      <Show when={props.around.isFramed}>
        <a slot="top-chrome" class="player-home" href="/" target="_blank" rel="noopener">
          <Logo src={props.around.logo} size={28} />
          <span>{props.around.name}</span>
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
              title={props.title}
              reason={soundReason()}
            />
          )}
        </Show>
        <Show
          when={STUCK.includes(state()) && secondsToRetry()}
          fallback={
            <>
              <Show when={state() === 'buffering'}>
                <span class="player-spinner" aria-hidden="true" />
              </Show>
              <Slate
                state={state()}
                isNew={props.isNew}
                unplayable={playback()?.unplayable()}
                onRetry={() => playback()?.restart()}
                onListen={() => playback()?.listen()}
              />
            </>
          }
        >
          {(seconds) => (
            <div class="slate" role="status">
              <strong>{t('player.offline.title')}</strong>
              {/* Not read out every second. */}
              <p aria-live="off">{t('player.offline', { count: seconds() })}</p>
            </div>
          )}
        </Show>
        <Show when={playback()?.needsPress()}>
          <button type="button" class="player-press" onClick={() => playback()?.press()}>
            <Icon name="play" />
            <span class="visually-hidden">{t('player.play')}</span>
          </button>
        </Show>
        <Show when={playback()?.soundBlocked() && state() === 'playing'}>
          <button type="button" class="player-unmute" onClick={() => playback()?.unmute()}>
            <Icon name="muted" />
            {t('player.unmute')}
          </button>
        </Show>
        <Show when={isHelping()}>
          <Help
            hasTheatre={props.around.theatre !== undefined}
            hasChat={props.around.theatre !== undefined}
            onClose={() => setHelping(false)}
          />
        </Show>
      </div>
      <Show when={spoken()} keyed>
        <Show when={playback()}>
          {(ready) => (
            <Controls
              playback={ready()}
              onLowLatency={chooseLowLatency}
              theatre={props.around.theatre}
              onHelp={() => setHelping(true)}
              stays={isHinting()}
            >
              <Show when={hasPlayed() && !ready().isListening() && video && props.rewindMinutes}>
                {(minutes) => (
                  <Rewind
                    playback={ready()}
                    video={video as HTMLVideoElement}
                    makeEngine={props.makeEngine}
                    minutes={minutes()}
                    since={props.since}
                    onHint={setHinting}
                  />
                )}
              </Show>
            </Controls>
          )}
        </Show>
      </Show>
    </media-controller>
  );
}

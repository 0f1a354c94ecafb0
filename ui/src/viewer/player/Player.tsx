/** The player: a video, its controls, and what lies over it. Loaded only while there is a stream. */
import './chrome.ts';
import './player.css';
import { type Component, createEffect, createSignal, type JSX, on, onCleanup, onMount, Show } from 'solid-js';
import { api } from '../../api.ts';
import { Icon } from '../../design/Icon.tsx';
import { language, t } from '../../i18n/index.ts';
import { readPreference, writePreference } from '../../storage.ts';
import type { StreamState } from '../../wire.ts';
import { Controls } from './Controls.tsx';
import { speakInControls } from './chrome.ts';
import type { MakeEngine } from './engine.ts';
import { type KeyAction, listenForKeys } from './keys.ts';
import { createPlayback, type Playback } from './playback.ts';
import { Slate } from './Slate.tsx';
import type { Autoplay } from './sound.ts';
import { type PlayerState, stateOf } from './state.ts';

/** How the server counts viewers whose playlists come from a cache in between. */
const PING_INTERVAL_MS = 5_000;
const VOLUME_STEP = 0.1;
/** What the next stream may be better than. */
const OVER: PlayerState[] = ['ended', 'error', 'unplayable'];

export interface PlayerProps {
  makeEngine: MakeEngine;
  stream: StreamState;
  since: string | null;
  /** It began some seconds ago. */
  isNew: boolean;
  title: string;
  autoplay: Autoplay;
  startMuted: boolean;
  onState: (state: PlayerState) => void;
  onLatency: (seconds: number | undefined) => void;
}

export type PlayerView = Component<PlayerProps>;

export function Player(props: PlayerProps): JSX.Element {
  const [playback, setPlayback] = createSignal<Playback>();
  const [spoken, setSpoken] = createSignal<string>();
  let video: HTMLVideoElement | undefined;
  let controller: HTMLElement | undefined;

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
  });
  onCleanup(listenForKeys((action) => act(action, video, controller)));

  createEffect(() => props.onState(state()));
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
    const ping = () => void api.get('/api/ping').catch(() => {});
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
        if (now === 'live' && before === 'waiting') playback()?.forgetStalls();
      },
    ),
  );

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
        }}
      />
      <media-loading-indicator slot="centered-chrome" attr:noautohide="" />
      <div slot="centered-chrome" class="player-over" attr:noautohide="">
        <Slate
          state={state()}
          isNew={props.isNew}
          unplayable={playback()?.unplayable()}
          onRetry={() => playback()?.restart()}
          onListen={() => playback()?.listen()}
        />
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
      </div>
      <Show when={spoken()} keyed>
        <Show when={playback()}>{(ready) => <Controls playback={ready()} onLowLatency={chooseLowLatency} />}</Show>
      </Show>
    </media-controller>
  );
}

function act(action: KeyAction, video: HTMLVideoElement | undefined, controller: HTMLElement | undefined): void {
  if (!video || !controller) return;
  const ask = (request: string) => controller.dispatchEvent(new CustomEvent(request));
  switch (action) {
    case 'play':
      ask(video.paused ? 'mediaplayrequest' : 'mediapauserequest');
      break;
    case 'mute':
      video.muted = !video.muted;
      break;
    case 'fullscreen':
      ask(document.fullscreenElement ? 'mediaexitfullscreenrequest' : 'mediaenterfullscreenrequest');
      break;
    case 'louder':
      video.muted = false;
      video.volume = Math.min(1, video.volume + VOLUME_STEP);
      break;
    case 'quieter':
      video.volume = Math.max(0, video.volume - VOLUME_STEP);
      break;
  }
}

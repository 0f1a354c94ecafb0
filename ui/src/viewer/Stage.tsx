/** The place of the picture: the player while there is a stream, the offline banner otherwise. */
import { createEffect, createMemo, createSignal, type JSX, onCleanup, Show } from 'solid-js';
import { createServerClock } from '../clock.ts';
import { StateTag } from '../design/StateTag.tsx';
import { WaterLines } from '../design/Water.tsx';
import { dateTime, duration, relativeTime } from '../i18n/format.ts';
import { t } from '../i18n/index.ts';
import type { SiteConfig, Status } from '../wire.ts';
import { FollowButton } from './fediverse/FollowButton.tsx';
import { showPicture } from './offline-picture.ts';
import { fetchPlayer, PlayerFrame } from './player/Frame.tsx';
import type { Surroundings } from './player/Player.tsx';
import type { Autoplay } from './player/sound.ts';
import type { PlayerState } from './player/state.ts';

/** Viewers are behind live: after the end of the stream they still have its last seconds to see. */
const TAIL_MS = 15_000;

export interface PictureProps {
  config: SiteConfig;
  status: Status;
  autoplay?: Autoplay;
  startMuted?: boolean;
  theatre?: Surroundings['theatre'];
  isFramed?: boolean;
}

/** Who stays this long is waiting for the stream. */
const PATIENT_MS = 10_000;

export function Stage(props: PictureProps): JSX.Element {
  return (
    <div class="stage-frame">
      <Picture {...props} />
      <Show when={isOn(props.status)}>
        <StatusStrip config={props.config} status={props.status} />
      </Show>
    </div>
  );
}

/** Longer than this after its start a stream is one that is running. */
const NEW_MS = 10_000;
const isNew = ({ lastConnectTime, serverTime }: Status) =>
  lastConnectTime !== null && Date.parse(serverTime) - Date.parse(lastConnectTime) < NEW_MS;

const isOn = (status: Status) => status.online || status.streamState === 'waiting';

export function Picture(props: PictureProps): JSX.Element {
  const [over, setOver] = createSignal(false);
  let watching = false;

  const on = createMemo(() => isOn(props.status));
  const shown = createMemo<boolean>((before) => on() || (before && watching && !over()), false);
  createEffect(() => {
    if (on()) {
      setOver(false);
      return;
    }
    const timer = setTimeout(() => setOver(true), TAIL_MS);
    onCleanup(() => clearTimeout(timer));
  });

  const onState = (state: PlayerState) => {
    watching = state === 'playing' || state === 'buffering';
    if (!watching && !on()) setOver(true);
  };

  return (
    <Show when={shown()} fallback={<OfflineBanner {...props} />}>
      <PlayerFrame
        around={{
          name: props.config.name,
          logo: props.config.logo,
          theatre: props.theatre,
          isFramed: props.isFramed,
        }}
        stream={props.status.streamState}
        since={props.status.lastConnectTime}
        isNew={isNew(props.status)}
        title={props.status.streamTitle}
        autoplay={props.autoplay ?? props.config.autoplay}
        startMuted={props.startMuted}
        rewindMinutes={props.config.rewind?.minutes}
        onState={onState}
      />
    </Show>
  );
}

function OfflineBanner(props: PictureProps): JSX.Element {
  // What cannot be had now is asked for again when it is needed.
  const patience = setTimeout(() => void fetchPlayer().catch(() => {}), PATIENT_MS);
  onCleanup(() => clearTimeout(patience));
  // The header of the page has the name; a frame on another page has nothing else that says it.
  const account = () => (props.config.federation?.enabled ? props.config.federation.account : undefined);
  let banner: HTMLElement | undefined;
  // Not a style attribute: the content security policy refuses those.
  createEffect(() => showPicture(banner, props.config.offlinePicture));
  return (
    <section
      id="offline-banner"
      class="stage water"
      aria-labelledby="offline-title"
      ref={(element) => {
        banner = element;
      }}
    >
      <Show when={!props.config.offlinePicture}>
        <WaterLines />
      </Show>
      <div class="stage-text">
        <Show when={props.status.lastDisconnectTime}>
          {(last) => (
            <p class="stage-last">
              <time datetime={last()} title={dateTime(last())}>
                {t('viewer.offline.last', { when: relativeTime(last(), props.status.serverTime) })}
              </time>
            </p>
          )}
        </Show>
        <Show when={props.status.scheduledEvent}>
          {(next) => (
            <p class="stage-next">
              {t('viewer.offline.next')}{' '}
              <strong>
                <time datetime={next().startTime}>{dateTime(next().startTime)}</time>
              </strong>
              <Show when={next().name}>
                {' · '}
                {next().name}
              </Show>
            </p>
          )}
        </Show>
        <h1 id="offline-title">
          <Show when={props.isFramed} fallback={t('viewer.offline.heading')}>
            <a class="stage-home" href="/" target="_blank" rel="noopener">
              {t('viewer.offline.title', { name: props.config.name })}
            </a>
          </Show>
        </h1>
        <Show when={props.config.offlineMessage} fallback={<p>{t('viewer.offline.text')}</p>}>
          {(message) => <div class="prose" dir="auto" innerHTML={message()} />}
        </Show>
        <Show when={!props.isFramed && account()}>
          {(found) => (
            <div class="stage-actions">
              <FollowButton id="offline-follow-button" account={found()} name={props.config.name} />
            </div>
          )}
        </Show>
      </div>
    </section>
  );
}

function StatusStrip(props: { config: SiteConfig; status: Status }): JSX.Element {
  const now = createServerClock(() => props.status.serverTime);
  const viewers = () => (props.config.hideViewerCount ? undefined : props.status.viewerCount);
  const isWaiting = () => props.status.streamState === 'waiting';
  return (
    <div class="status-strip">
      <h1 class="status-title">
        {props.status.streamTitle || t(isWaiting() ? 'viewer.waiting.title' : 'viewer.live.title')}
      </h1>
      <Show when={isWaiting() && props.status.streamTitle}>
        <StateTag state="waiting" />
      </Show>
      <Show when={props.status.lastConnectTime}>
        {(start) => <span>{t('viewer.live.for', { duration: duration(start(), now()) })}</span>}
      </Show>
      <Show when={viewers() !== undefined}>
        <span class="status-viewers">{t('viewer.viewers', { count: viewers() ?? 0 })}</span>
      </Show>
    </div>
  );
}

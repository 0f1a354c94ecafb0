/** The place of the picture: the player while live, the offline banner otherwise. */
import { type JSX, Show } from 'solid-js';
import { WaterLines } from '../design/Water.tsx';
import { dateTime, duration, relativeTime } from '../i18n/format.ts';
import { t } from '../i18n/index.ts';
import type { SiteConfig, Status } from '../wire.ts';

/** What VLC, mpv and televisions open; the page's own player uses the same address. */
const PLAYLIST = '/hls/stream.m3u8';

export function Stage(props: { config: SiteConfig; status: Status }): JSX.Element {
  return (
    <Show when={props.status.online} fallback={<OfflineBanner config={props.config} status={props.status} />}>
      <div class="stage-live">
        <section id="player" class="stage water" aria-label={t('viewer.player')}>
          <WaterLines />
          <div class="stage-text">
            <h1>{props.status.streamTitle || t('viewer.live.title')}</h1>
            <p>{t('viewer.live.text')}</p>
            <p>
              <a href={PLAYLIST}>
                <code>{new URL(PLAYLIST, location.href).href}</code>
              </a>
            </p>
          </div>
        </section>
        <StatusStrip config={props.config} status={props.status} />
      </div>
    </Show>
  );
}

function OfflineBanner(props: { config: SiteConfig; status: Status }): JSX.Element {
  return (
    <section id="offline-banner" class="stage water" aria-labelledby="offline-title">
      <WaterLines />
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
        <h1 id="offline-title">{t('viewer.offline.title', { name: props.config.name })}</h1>
        <Show when={props.config.offlineMessage} fallback={<p>{t('viewer.offline.text')}</p>}>
          {(message) => <div class="prose" innerHTML={message()} />}
        </Show>
      </div>
    </section>
  );
}

function StatusStrip(props: { config: SiteConfig; status: Status }): JSX.Element {
  const viewers = () => (props.config.hideViewerCount ? undefined : props.status.viewerCount);
  return (
    <div class="status-strip">
      <Show when={props.status.lastConnectTime} fallback={<span>{t('viewer.live.title')}</span>}>
        {(start) => <span>{t('viewer.live.for', { duration: duration(start(), props.status.serverTime) })}</span>}
      </Show>
      <Show when={viewers() !== undefined}>
        <span>{t('viewer.viewers', { count: viewers() ?? 0 })}</span>
      </Show>
    </div>
  );
}

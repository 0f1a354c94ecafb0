/** A past stream among others: its picture, what it was called, when it was and how long. */
import { createSignal, type JSX, Show } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { Time } from '../../design/Time.tsx';
import { ownPicture } from '../../pictures.ts';
import { videoPath } from './route.ts';
import { t } from './texts.ts';
import { clockOf, day, spokenDuration } from './times.ts';
import type { VideoSummary } from './wire.ts';

/** A stream without a title is known by its day. */
export const titleOf = (video: Pick<VideoSummary, 'title' | 'startedAt'>): string =>
  video.title || t('videos.untitled', { date: day(video.startedAt) });

export function VideoCard(props: { video: VideoSummary }): JSX.Element {
  return (
    <li class="video-card">
      <Picture thumbnail={props.video.thumbnail} duration={props.video.duration} />
      <div class="video-card-text">
        <a class="video-card-title" href={videoPath(props.video.id)} dir="auto">
          {titleOf(props.video)}
        </a>
        <p class="video-card-facts">
          <Time at={props.video.startedAt} text={day(props.video.startedAt)} />
          <span class="visually-hidden">
            {t('videos.duration', { duration: spokenDuration(props.video.duration) })}
          </span>
        </p>
      </div>
    </li>
  );
}

function Picture(props: { thumbnail: string; duration: number }): JSX.Element {
  const [missing, setMissing] = createSignal(false);
  const source = () => (missing() ? undefined : ownPicture(props.thumbnail));
  return (
    <div class="video-picture" aria-hidden="true">
      <Show when={source()} fallback={<Icon name="play" />}>
        {(address) => <img src={address()} alt="" loading="lazy" decoding="async" onError={() => setMissing(true)} />}
      </Show>
      <span class="video-length">{clockOf(props.duration)}</span>
    </div>
  );
}

/** In the place of cards that are on their way, so that nothing moves when they come. */
export function CardPlaces(props: { count: number }): JSX.Element {
  return (
    <ul class="video-cards" aria-hidden="true">
      {Array.from({ length: props.count }, () => (
        <li class="video-card video-card-place">
          <div class="video-picture" />
          <div class="video-card-text skeleton">
            <span />
            <span />
          </div>
        </li>
      ))}
    </ul>
  );
}

/** On the front page while nothing is on: the newest of what there is to watch. */
import { createSignal, createUniqueId, For, type JSX, onMount, Show } from 'solid-js';
import { api } from '../../api.ts';
import { VIDEOS_PATH } from './route.ts';
import { t } from './texts.ts';
import { CardPlaces, VideoCard } from './VideoCard.tsx';
import type { VideosPage } from './wire.ts';

/** Two rows on most screens. */
const SHOWN = 8;

export function LatestVideos(): JSX.Element {
  const headingId = createUniqueId();
  const [page, setPage] = createSignal<VideosPage>();
  const [failed, setFailed] = createSignal(false);
  onMount(async () => {
    // There is another way to them in the header, so a failure says nothing.
    const answer = await api.get<VideosPage>(`/api/videos?offset=0&limit=${SHOWN}`).catch(() => undefined);
    setPage(answer);
    setFailed(answer === undefined);
  });
  const isWorthIt = () => !failed() && page()?.results.length !== 0;
  return (
    <Show when={isWorthIt()}>
      <section class="videos-latest" aria-labelledby={headingId}>
        <div class="videos-latest-head">
          <h2 id={headingId}>{t('videos.latest')}</h2>
          <a href={VIDEOS_PATH}>{t('videos.all')}</a>
        </div>
        <Show when={page()} fallback={<CardPlaces count={4} />}>
          {(loaded) => (
            <ul class="video-cards">
              <For each={loaded().results}>{(video) => <VideoCard video={video} />}</For>
            </ul>
          )}
        </Show>
      </section>
    </Show>
  );
}

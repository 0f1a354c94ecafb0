/** `/embed/video/{id}`: the player of a past stream alone, for a frame on somebody else's page. */
import './watch.css';
import { type JSX, Match, Show, Switch } from 'solid-js';
import { LoadError } from '../../../design/Feedback.tsx';
import { WaterLines } from '../../../design/Water.tsx';
import type { EmbedOptions } from '../../Embed.tsx';
import { createSite } from '../../site.ts';
import { startOf } from '../address.ts';
import { VIDEOS_PATH } from '../route.ts';
import { t } from '../texts.ts';
import type { VideoBoot } from '../wire.ts';
import { createVideo } from './about.ts';
import { chaptersIn, isWorthListing } from './chapters.ts';
import { ReplayFrame } from './ReplayFrame.tsx';

export { texts } from '../texts.ts';

export function EmbeddedVideo(props: EmbedOptions & { boot?: VideoBoot; id: string | undefined }): JSX.Element {
  const about = createVideo(props.id, props.boot?.video);
  const site = createSite(props.boot, { hasPicture: false, subject: () => about.video()?.title ?? '' });
  const watched = () => (about.state() === 'gone' ? undefined : about.video());
  const chapters = () => {
    const found = chaptersIn(watched()?.chapters ?? [], watched()?.duration ?? 0);
    return isWorthListing(found) ? found : [];
  };
  return (
    <main class="embed">
      <Switch>
        <Match when={about.state() === 'gone'}>
          <section class="stage water">
            <WaterLines />
            <div class="stage-text">
              <h1>
                <a class="stage-home" href={VIDEOS_PATH} target="_blank" rel="noopener">
                  {t('video.gone')}
                </a>
              </h1>
              <p>{t('video.gone.text')}</p>
            </div>
          </section>
        </Match>
        <Match when={about.state() === 'failed'}>
          <div class="viewer-waiting">
            <LoadError title={t('video.failed')} onRetry={() => void about.load()} />
          </div>
        </Match>
        <Match when={site.loaded()}>
          {(page) => (
            <Show when={watched()?.id} keyed>
              {(_id) => (
                <Show when={watched()}>
                  {(video) => (
                    <ReplayFrame
                      video={video()}
                      chapters={chapters()}
                      around={{ name: page().config.name, logo: page().config.logo, isFramed: true }}
                      startAt={startOf(location.search) ?? 0}
                      autoplay={props.autoplay ?? page().config.autoplay ?? 'always'}
                      startMuted={props.startMuted}
                      onFailed={about.lookAgain}
                    />
                  )}
                </Show>
              )}
            </Show>
          )}
        </Match>
      </Switch>
    </main>
  );
}

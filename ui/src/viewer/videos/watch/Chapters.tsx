/** The places to jump to; the one that is on is marked. */
import { createUniqueId, For, type JSX } from 'solid-js';
import { t } from '../texts.ts';
import { clockOf, spokenDuration } from '../times.ts';
import type { Chapter } from '../wire.ts';
import { chapterAt } from './chapters.ts';

export function Chapters(props: {
  chapters: Chapter[];
  position: number;
  onChoose: (seconds: number) => void;
}): JSX.Element {
  const headingId = createUniqueId();
  const current = () => chapterAt(props.chapters, props.position);
  return (
    <section class="video-chapters" aria-labelledby={headingId}>
      <h2 id={headingId}>{t('video.chapters')}</h2>
      <ol>
        <For each={props.chapters}>
          {(chapter, index) => (
            <li>
              <button
                type="button"
                aria-current={index() === current() ? 'true' : undefined}
                onClick={() => props.onChoose(chapter.at)}
              >
                <span class="video-chapter-time" aria-hidden="true">
                  {clockOf(chapter.at)}
                </span>
                <span class="video-chapter-title" dir="auto">
                  {chapter.title || t('video.chapter.untitled')}
                </span>
                <span class="visually-hidden">{spokenDuration(chapter.at)}</span>
              </button>
            </li>
          )}
        </For>
      </ol>
    </section>
  );
}

/** Where in the video one is, and the way to every other place. Runs from left to right, as time does in players. */
import { createEffect, createSignal, For, type JSX, Show } from 'solid-js';
import { t } from '../texts.ts';
import { clockOf } from '../times.ts';
import type { Chapter } from '../wire.ts';
import { chapterAt } from './chapters.ts';
import type { Replay } from './replay.ts';

const STEP_SECONDS = 5;
const LEAP_SECONDS = 60;

export interface SeekBarProps {
  replay: Pick<Replay, 'position' | 'duration' | 'buffered' | 'seek'>;
  chapters: Chapter[];
}

/** As a part of the whole, from 0 to 1. Not a style attribute: the content security policy refuses those. */
const place = (name: string, share: () => number) => (element: HTMLElement) =>
  createEffect(() => element.style.setProperty(name, String(Math.min(Math.max(share(), 0), 1))));

export function SeekBar(props: SeekBarProps): JSX.Element {
  const [dragged, setDragged] = createSignal<number>();
  const [pointed, setPointed] = createSignal<number>();
  let bar: HTMLElement | undefined;

  const whole = () => props.replay.duration() || 1;
  const hinted = () => dragged() ?? pointed() ?? 0;
  const now = () => dragged() ?? props.replay.position();
  const share = (seconds: number) => seconds / whole();
  const chapterName = (seconds: number) => {
    const chapter = props.chapters[chapterAt(props.chapters, seconds)];
    return chapter && (chapter.title || t('video.chapter.untitled'));
  };

  const under = (event: PointerEvent): number => {
    const { left, width } = bar?.getBoundingClientRect() ?? { left: 0, width: 0 };
    if (width === 0) return 0;
    return Math.min(Math.max((event.clientX - left) / width, 0), 1) * props.replay.duration();
  };

  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    // The bar keeps the pointer, wherever it goes; a browser that cannot do that loses it at the edge.
    bar?.setPointerCapture?.(event.pointerId);
    bar?.focus({ preventScroll: true });
    event.preventDefault();
    setDragged(under(event));
  };
  const onPointerMove = (event: PointerEvent) => {
    if (dragged() !== undefined) setDragged(under(event));
    setPointed(under(event));
  };
  const onPointerUp = () => {
    const target = dragged();
    setDragged(undefined);
    if (target !== undefined) props.replay.seek(target);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { position, duration } = props.replay;
    const targets: Record<string, number> = {
      ArrowLeft: position() - STEP_SECONDS,
      ArrowDown: position() - STEP_SECONDS,
      ArrowRight: position() + STEP_SECONDS,
      ArrowUp: position() + STEP_SECONDS,
      PageDown: position() - LEAP_SECONDS,
      PageUp: position() + LEAP_SECONDS,
      Home: 0,
      End: duration(),
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    props.replay.seek(target);
  };

  return (
    // biome-ignore lint/a11y/useFocusableInteractive: it has the attribute, as Solid spells it.
    <div
      class="seek-bar"
      role="slider"
      tabindex="0"
      aria-label={t('video.seek')}
      aria-valuemin="0"
      aria-valuemax={Math.floor(props.replay.duration())}
      aria-valuenow={Math.floor(now())}
      aria-valuetext={t('video.seek.at', { time: clockOf(now()), duration: clockOf(props.replay.duration()) })}
      data-dragged={dragged() === undefined ? undefined : ''}
      ref={(element) => {
        bar = element;
        place('--at', () => share(now()))(element);
        place('--loaded', () => share(Math.max(props.replay.buffered(), props.replay.position())))(element);
      }}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => setDragged(undefined)}
      onPointerLeave={() => setPointed(undefined)}
      onKeyDown={onKeyDown}
    >
      <span class="seek-track" />
      <For each={props.chapters.filter(({ at }) => at > 0)}>
        {(chapter) => <span class="seek-mark" ref={place('--at', () => share(chapter.at))} />}
      </For>
      <span class="seek-thumb" />
      <Show when={(dragged() ?? pointed()) !== undefined}>
        <span class="seek-hint" aria-hidden="true" ref={place('--at', () => share(hinted()))}>
          <Show when={chapterName(hinted())}>{(name) => <span dir="auto">{name()}</span>}</Show>
          {clockOf(hinted())}
        </span>
      </Show>
    </div>
  );
}

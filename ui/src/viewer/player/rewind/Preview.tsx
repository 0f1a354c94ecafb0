/** Above the seek bar: how far back that is, and where a small quality makes it cheap, a picture of it. */
import { createEffect, createSignal, type JSX, on, onCleanup, onMount, Show } from 'solid-js';
import type { Engine, MakeEngine, Quality } from '../engine.ts';
import { placeOf } from './dates.ts';
import { REWIND_PLAYLIST } from './rewind.ts';

/** A segment of more than this is too much for a glance. */
const MOST_KBPS = 1_500;
/** Who passes over the bar does not want to see everything on the way. */
const REST_MS = 200;
/** No more than what a single picture needs. */
const BUFFER_SECONDS = 1;

/** The smallest one with a picture, if that is small. */
export function previewQuality(qualities: readonly Quality[]): Quality | undefined {
  const smallest = qualities.filter(({ height }) => height > 0).toSorted((one, other) => one.kbps - other.kbps)[0];
  return smallest && smallest.kbps <= MOST_KBPS ? smallest : undefined;
}

export interface PreviewProps {
  /** Where on the bar, from 0 to 1. */
  share: number;
  date: number;
  label: string;
  qualities: Quality[];
  makeEngine: MakeEngine;
}

export function Preview(props: PreviewProps): JSX.Element {
  return (
    <div class="rewind-preview" aria-hidden="true" style={{ '--rewind-at': props.share.toFixed(4) }}>
      <Show when={previewQuality(props.qualities)}>
        <Picture date={props.date} makeEngine={props.makeEngine} />
      </Show>
      <span>{props.label}</span>
    </div>
  );
}

function Picture(props: { date: number; makeEngine: MakeEngine }): JSX.Element {
  const [isThere, setThere] = createSignal(false);
  let video: HTMLVideoElement | undefined;
  let engine: Engine | undefined;
  let rest: ReturnType<typeof setTimeout> | undefined;

  const show = () => {
    if (!video) return;
    const list = engine?.timeline();
    const place = list && placeOf(list, props.date);
    if (place !== undefined) engine?.seek(place);
    engine ??= props.makeEngine(video, {
      lowLatency: false,
      source: REWIND_PLAYLIST,
      begin: (found) => placeOf(found, props.date),
      bufferSeconds: BUFFER_SECONDS,
      onQualities: (all) => {
        const smallest = previewQuality(all);
        // It is told of while the engine is being made, by some.
        queueMicrotask(() => smallest && engine?.setQuality(smallest.id));
      },
      // The time is there without a picture, too.
      onTrouble: () => setThere(false),
      onUnplayable: () => {},
      onPlayable: () => {},
    });
  };
  const wait = () => {
    clearTimeout(rest);
    rest = setTimeout(show, REST_MS);
  };
  onMount(wait);
  createEffect(on(() => Math.round(props.date / 1000), wait, { defer: true }));
  onCleanup(() => {
    clearTimeout(rest);
    engine?.destroy();
  });
  return (
    <video
      muted
      playsinline
      classList={{ 'rewind-picture': true, 'rewind-there': isThere() }}
      ref={(element) => {
        video = element;
        element.muted = true;
        for (const event of ['seeked', 'loadeddata']) element.addEventListener(event, () => setThere(true));
      }}
    />
  );
}

/** The seek bar over what the server keeps of the stream, the way back to live, and a word to whoever joins late. */
import { createEffect, createSignal, createUniqueId, type JSX, on, onCleanup, Show } from 'solid-js';
import { Icon } from '../../../design/Icon.tsx';
import { clock, duration } from '../../../i18n/format.ts';
import { language } from '../../../i18n/index.ts';
import type { MakeEngine } from '../engine.ts';
import type { Playback } from '../playback.ts';
import { Preview } from './Preview.tsx';
import { createRewind, type Reach, type Rewind as RewindState } from './rewind.ts';
import { tr } from './texts.ts';

const BACK_SECONDS = 10;
/** Less than this to go back to is what everybody sees anyway. */
const WORTH_MS = 30_000;
const LATE_MS = 120_000;
const HINT_MS = 15_000;
const STEPS: Record<string, number> = {
  ArrowLeft: -5,
  ArrowDown: -5,
  ArrowRight: 5,
  ArrowUp: 5,
  PageDown: -60,
  PageUp: 60,
};

export interface RewindProps {
  playback: Playback;
  video: HTMLVideoElement;
  makeEngine: MakeEngine;
  minutes: number;
  since: string | null;
  /** While there is something to read, the controls stay. */
  onHint: (isShown: boolean) => void;
}

const iso = (date: number) => new Date(date).toISOString();

export function Rewind(props: RewindProps): JSX.Element {
  const rewind = createRewind({
    video: props.video,
    playback: props.playback,
    minutes: () => props.minutes,
    since: () => props.since,
  });
  onCleanup(rewind.destroy);
  const reach = () => {
    const now = rewind.reach();
    return now && now.newest - now.oldest > WORTH_MS ? now : undefined;
  };
  return (
    <>
      <Show when={rewind.refused()}>
        <p class="rewind-hint" role="status">
          {tr('rewind.refused')}
        </p>
      </Show>
      <Show when={!rewind.refused() && reach()}>
        {(now) => (
          <>
            <LateHint reach={now()} since={props.since} onHint={props.onHint} onGo={() => rewind.goTo(0)} />
            <Bar rewind={rewind} reach={now()} playback={props.playback} makeEngine={props.makeEngine} />
          </>
        )}
      </Show>
    </>
  );
}

interface BarProps {
  rewind: RewindState;
  reach: Reach;
  playback: Playback;
  makeEngine: MakeEngine;
}

function Bar(props: BarProps): JSX.Element {
  /** What the thumb is held over. */
  const [held, setHeld] = createSignal<number>();
  /** What is pointed at, as a share of the bar. */
  const [pointed, setPointed] = createSignal<number>();
  /** Whole seconds, as the thumb moves by. */
  const length = () => Math.round((props.reach.newest - props.reach.oldest) / 1000);
  const dateOf = (seconds: number) => props.reach.oldest + seconds * 1000;
  const value = () => held() ?? (props.reach.isLive ? length() : (props.reach.shown - props.reach.oldest) / 1000);
  const share = () => Math.min(Math.max(value() / length(), 0), 1);
  const secondsTo = (date: number) => Math.max(Math.round((props.reach.newest - date) / 1000), 0);
  const behind = (date: number) => `−${clock(secondsTo(date))}`;
  const preview = () => {
    const at = held() === undefined ? pointed() : share();
    return at === undefined ? undefined : { share: at, date: dateOf(at * length()) };
  };

  const onKey = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step !== undefined) props.rewind.skip(step);
    else if (event.key === 'Home') props.rewind.goTo(props.reach.oldest);
    else if (event.key === 'End') props.rewind.toLive();
    else return;
    event.preventDefault();
  };
  const point = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const box = event.currentTarget.getBoundingClientRect();
    if (event.pointerType === 'mouse' && box.width > 0) {
      setPointed(Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1));
    }
  };

  return (
    <div class="rewind">
      <button
        type="button"
        class="player-button rewind-back"
        aria-label={tr('rewind.back')}
        title={tr('rewind.back')}
        aria-keyshortcuts="j"
        onClick={() => props.rewind.skip(-BACK_SECONDS)}
      >
        {new Intl.NumberFormat(language(), { style: 'unit', unit: 'second', unitDisplay: 'narrow' }).format(
          -BACK_SECONDS,
        )}
      </button>
      <div class="rewind-bar" onPointerMove={point} onPointerLeave={() => setPointed(undefined)}>
        <Show when={preview()}>
          {(at) => (
            <Preview
              share={at().share}
              date={at().date}
              label={behind(at().date)}
              qualities={props.playback.qualities()}
              makeEngine={props.makeEngine}
            />
          )}
        </Show>
        <input
          type="range"
          aria-label={tr('rewind.bar')}
          aria-valuetext={
            props.reach.isLive && held() === undefined
              ? tr('rewind.atLive')
              : tr('rewind.behind', { time: clock(secondsTo(dateOf(value()))) })
          }
          min="0"
          max={length()}
          step="1"
          value={value()}
          style={{ '--rewind-share': share().toFixed(4) }}
          onInput={(event) => setHeld(event.currentTarget.valueAsNumber)}
          onChange={(event) => {
            const date = dateOf(event.currentTarget.valueAsNumber);
            setHeld(undefined);
            props.rewind.goTo(date);
          }}
          onKeyDown={onKey}
        />
      </div>
      <Show when={!props.reach.isLive}>
        <span class="rewind-behind">{behind(props.reach.shown)}</span>
        <button type="button" class="rewind-live" onClick={() => props.rewind.toLive()}>
          {tr('rewind.live')}
        </button>
      </Show>
    </div>
  );
}

/** The streams that this has been said of: once is enough. */
const told = new Set<string | null>();

function LateHint(props: {
  reach: Reach;
  since: string | null;
  onHint: (isShown: boolean) => void;
  onGo: () => void;
}): JSX.Element {
  const id = createUniqueId();
  const isLate = () => props.reach.isLive && props.reach.newest - props.reach.oldest > LATE_MS;
  const [isShown, setShown] = createSignal(isLate() && !told.has(props.since));
  told.add(props.since);
  /** As much as there is may be all there was. */
  const isWhole = () => Date.parse(props.since ?? '') >= props.reach.oldest - LATE_MS / 2;
  const length = () => duration(iso(props.reach.oldest), iso(props.reach.newest));

  const close = setTimeout(() => setShown(false), HINT_MS);
  onCleanup(() => clearTimeout(close));
  createEffect(() => props.onHint(isShown()));
  onCleanup(() => props.onHint(false));
  // Who goes back by themselves knows how.
  createEffect(
    on(
      () => props.reach.isLive,
      (isLive) => {
        if (!isLive) setShown(false);
      },
      { defer: true },
    ),
  );
  return (
    <Show when={isShown()}>
      <div class="rewind-hint" role="status">
        <span id={id}>
          {isWhole()
            ? tr('rewind.late', { duration: duration(props.since ?? '', iso(props.reach.newest)) })
            : tr('rewind.late.window')}
        </span>
        <button type="button" class="rewind-live" aria-describedby={id} onClick={() => props.onGo()}>
          {isWhole() ? tr('rewind.late.start') : tr('rewind.late.back', { duration: length() })}
        </button>
        <button type="button" class="player-button" aria-label={tr('common.close')} onClick={() => setShown(false)}>
          <Icon name="cross" />
        </button>
      </div>
    </Show>
  );
}

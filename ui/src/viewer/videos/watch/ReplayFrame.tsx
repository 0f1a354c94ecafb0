/**
 * The place of the picture of a past stream. Its still is there at once; the player and its engine follow.
 * Themes and tests read `data-state`, `data-position` and `data-shape` of #player, as of the one that is live.
 */
import { createSignal, type JSX, onCleanup, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { ownPicture } from '../../../pictures.ts';
import { loadEngine, type MakeEngine } from '../../player/engine.ts';
import type { PictureSize, Surroundings } from '../../player/Player.tsx';
import { Slate } from '../../player/Slate.tsx';
import type { Autoplay } from '../../player/sound.ts';
import type { PlayerState } from '../../player/state.ts';
import { t } from '../texts.ts';
import type { Chapter, Video } from '../wire.ts';
import type { ReplayPlayerView } from './ReplayPlayer.tsx';
import type { Replay } from './replay.ts';

/** A server that restarts is back within seconds. */
const LOAD_AGAIN_MS = 3_000;

const fetchParts = () => Promise.all([import('./ReplayPlayer.tsx'), loadEngine()]);

export interface ReplayFrameProps {
  video: Video;
  chapters: Chapter[];
  around: Surroundings;
  startAt: number;
  autoplay: Autoplay;
  startMuted?: boolean;
  hasChat?: boolean;
  onReplay?: (replay: Replay) => void;
  onFailed: () => void;
}

interface Parts {
  View: ReplayPlayerView;
  Unplayable: (props: { playlist: string }) => JSX.Element;
  makeEngine: MakeEngine | undefined;
}

export function ReplayFrame(props: ReplayFrameProps): JSX.Element {
  const [parts, setParts] = createSignal<Parts>();
  const [state, setState] = createSignal<PlayerState>('starting');
  const [replay, setReplay] = createSignal<Replay>();
  const [shape, setShape] = createSignal<'upright' | 'wide' | 'none'>();
  const [played, setPlayed] = createSignal(false);
  const [missing, setMissing] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isGone = false;
  onCleanup(() => {
    isGone = true;
    clearTimeout(timer);
  });

  const load = async () => {
    try {
      const [player, makeEngine] = await fetchParts();
      if (!isGone) setParts({ View: player.ReplayPlayer, Unplayable: player.Unplayable, makeEngine });
    } catch {
      if (!isGone) timer = setTimeout(() => void load(), LOAD_AGAIN_MS);
    }
  };
  void load();

  const onSize = ({ width, height }: PictureSize) => {
    if (width === 0) setShape('none');
    else setShape(height > width ? 'upright' : 'wide');
  };
  const onState = (next: PlayerState) => {
    setState(next);
    if (next === 'playing') setPlayed(true);
  };
  const onReplay = (created: Replay) => {
    setReplay(created);
    props.onReplay?.(created);
  };
  const still = () => (played() || missing() ? undefined : ownPicture(props.video.thumbnail));

  return (
    <section
      id="player"
      class="player"
      aria-label={t('viewer.player')}
      data-state={parts() && !parts()?.makeEngine ? 'error' : state()}
      data-position={replay()?.position().toFixed(2)}
      data-shape={shape()}
    >
      <Show when={still()}>
        {(address) => <img class="player-poster" src={address()} alt="" onError={() => setMissing(true)} />}
      </Show>
      <Show when={parts()} fallback={<Slate state="starting" isNew={false} />}>
        {(loaded) => (
          <Show
            when={loaded().makeEngine}
            fallback={<Dynamic component={loaded().Unplayable} playlist={props.video.playlist} />}
          >
            {(makeEngine) => (
              <Dynamic
                component={loaded().View}
                makeEngine={makeEngine()}
                video={props.video}
                chapters={props.chapters}
                around={props.around}
                startAt={props.startAt}
                autoplay={props.autoplay}
                startMuted={props.startMuted ?? false}
                hasChat={props.hasChat ?? false}
                onReplay={onReplay}
                onState={onState}
                onSize={onSize}
                onFailed={props.onFailed}
              />
            )}
          </Show>
        )}
      </Show>
    </section>
  );
}

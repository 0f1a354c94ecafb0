/**
 * The place of the picture while there is a stream. The preview picture is there at once; the player and its engine
 * are fetched only now, so that whoever looks in while nothing is on never downloads them.
 * Themes and tests read `data-state`, `data-latency` and `data-shape` of #player.
 */
import { createSignal, type JSX, onCleanup, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { t } from '../../i18n/index.ts';
import type { StreamState } from '../../wire.ts';
import { loadEngine, type MakeEngine } from './engine.ts';
import type { PictureSize, PlayerView, Surroundings } from './Player.tsx';
import { Notice, Slate } from './Slate.tsx';
import type { Autoplay } from './sound.ts';
import type { PlayerState } from './state.ts';

const THUMBNAIL = '/thumbnail.jpg';
/** A server that restarts is back within seconds. */
const LOAD_AGAIN_MS = 3_000;

/** The player and its engine; who has waited for a while has them before the stream begins. */
export const fetchPlayer = () => Promise.all([import('./Player.tsx'), loadEngine()]);

export interface FrameProps {
  around: Surroundings;
  stream: StreamState;
  /** When the stream began; another value is another stream. */
  since: string | null;
  /** It began some seconds ago. */
  isNew: boolean;
  title: string;
  autoplay?: Autoplay;
  startMuted?: boolean;
  /** How far one can go back; absent is not at all. */
  rewindMinutes?: number | undefined;
  onState?: (state: PlayerState) => void;
}

interface Parts {
  View: PlayerView;
  makeEngine: MakeEngine | undefined;
}

export function PlayerFrame(props: FrameProps): JSX.Element {
  const [parts, setParts] = createSignal<Parts>();
  const [state, setState] = createSignal<PlayerState>('starting');
  const [latency, setLatency] = createSignal<number>();
  const [shape, setShape] = createSignal<'upright' | 'wide' | 'none'>();
  const [played, setPlayed] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));

  const load = async () => {
    try {
      const [player, makeEngine] = await fetchPlayer();
      setParts({ View: player.Player, makeEngine });
    } catch {
      timer = setTimeout(() => void load(), LOAD_AGAIN_MS);
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
    props.onState?.(next);
  };

  return (
    <section
      id="player"
      class="player"
      aria-label={t('viewer.player')}
      data-state={parts() && !parts()?.makeEngine ? 'error' : state()}
      data-latency={latency()?.toFixed(2)}
      data-shape={shape()}
    >
      {/* Once pictures move the preview would show through beside them. */}
      <Show when={!played()}>
        <Poster />
      </Show>
      <Show when={parts()} fallback={<Slate state="starting" isNew={props.isNew} />}>
        {(loaded) => (
          <Show
            when={loaded().makeEngine}
            fallback={<Notice title={t('player.unsupported.title')} text={t('player.unsupported')} />}
          >
            {(makeEngine) => (
              <Dynamic
                component={loaded().View}
                makeEngine={makeEngine()}
                around={props.around}
                stream={props.stream}
                since={props.since}
                isNew={props.isNew}
                title={props.title}
                autoplay={props.autoplay ?? 'always'}
                startMuted={props.startMuted ?? false}
                rewindMinutes={props.rewindMinutes}
                onState={onState}
                onLatency={setLatency}
                onSize={onSize}
              />
            )}
          </Show>
        )}
      </Show>
    </section>
  );
}

/** Behind the video, which is transparent until its first frame. */
function Poster(): JSX.Element {
  const [missing, setMissing] = createSignal(false);
  return (
    <Show when={!missing()}>
      <img class="player-poster" src={THUMBNAIL} alt="" onError={() => setMissing(true)} />
    </Show>
  );
}

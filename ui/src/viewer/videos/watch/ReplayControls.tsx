/** The bar at the bottom of a video, and the menu above it. */
import { createEffect, createSignal, createUniqueId, For, type JSX, onCleanup, onMount, Show } from 'solid-js';
import { Drawing, Icon } from '../../../design/Icon.tsx';
import { language } from '../../../i18n/index.ts';
import { liftOnSmall, Qualities } from '../../player/Menu.tsx';
import type { Surroundings } from '../../player/Player.tsx';
import { t } from '../texts.ts';
import { clockOf } from '../times.ts';
import type { Chapter } from '../wire.ts';
import { type Replay, SPEEDS } from './replay.ts';
import { SeekBar } from './SeekBar.tsx';

const SKIP_SECONDS = 10;
/** An arrow that goes round, with room for nothing else: its name says how far. */
const BACK = 'M5 12a7.5 7.5 0 1 0 2.2-5.3L4.5 9.3M4.5 4.5v4.8h4.8';
const FORWARD = 'M19 12a7.5 7.5 0 1 1-2.2-5.3l2.7 2.6M19.5 4.5v4.8h-4.8';

interface ReplayControlsProps {
  replay: Replay;
  chapters: Chapter[];
  theatre: Surroundings['theatre'];
  onHelp: () => void;
}

export function ReplayControls(props: ReplayControlsProps): JSX.Element {
  const menuId = createUniqueId();
  const [open, setOpen] = createSignal(false);
  let root: HTMLElement | undefined;
  let button: HTMLButtonElement | undefined;

  createEffect(() => {
    if (!open()) return;
    const onOutside = (event: Event) => {
      if (root && !event.composedPath().includes(root)) setOpen(false);
    };
    document.addEventListener('pointerdown', onOutside);
    onCleanup(() => document.removeEventListener('pointerdown', onOutside));
  });

  return (
    <div
      class="player-bottom replay-bottom"
      attr:noautohide={open() ? '' : undefined}
      ref={(element) => {
        root = element;
        element.addEventListener('keydown', (event) => {
          if (event.key !== 'Escape' || !open()) return;
          setOpen(false);
          button?.focus();
        });
      }}
    >
      <Show when={open()}>
        <ReplayMenu
          id={menuId}
          replay={props.replay}
          onHelp={() => {
            setOpen(false);
            props.onHelp();
          }}
        />
      </Show>
      <SeekBar replay={props.replay} chapters={props.chapters} />
      <media-control-bar>
        <media-play-button attr:aria-keyshortcuts="Space k" />
        <SkipButton path={BACK} name={t('video.back')} shortcut="j" onPress={() => props.replay.skip(-SKIP_SECONDS)} />
        <SkipButton
          path={FORWARD}
          name={t('video.forward')}
          shortcut="l"
          onPress={() => props.replay.skip(SKIP_SECONDS)}
        />
        <media-mute-button attr:aria-keyshortcuts="m" />
        <media-volume-range attr:aria-keyshortcuts="9 0" />
        {/* The slider says the same aloud. */}
        <span class="replay-time" aria-hidden="true">
          {clockOf(props.replay.position())} / {clockOf(props.replay.duration())}
        </span>
        <span class="player-space" />
        <media-airplay-button />
        <media-pip-button attr:aria-keyshortcuts="i" />
        <button
          type="button"
          class="player-button"
          aria-label={t('player.settings')}
          title={t('player.settings')}
          aria-expanded={open()}
          aria-controls={menuId}
          ref={(element) => {
            button = element;
          }}
          onClick={() => setOpen(!open())}
        >
          <Icon name="gear" />
        </button>
        <Show when={props.theatre}>
          {(theatre) => (
            <button
              type="button"
              class="player-button player-theatre"
              aria-label={t('player.theatre')}
              title={t('player.theatre')}
              aria-pressed={theatre().isOn()}
              aria-keyshortcuts="t"
              onClick={() => theatre().toggle()}
            >
              <Icon name="theatre" />
            </button>
          )}
        </Show>
        <media-fullscreen-button attr:aria-keyshortcuts="f" />
      </media-control-bar>
    </div>
  );
}

function SkipButton(props: { path: string; name: string; shortcut: string; onPress: () => void }): JSX.Element {
  return (
    <button
      type="button"
      class="player-button replay-skip"
      aria-label={props.name}
      title={props.name}
      aria-keyshortcuts={props.shortcut}
      onClick={() => props.onPress()}
    >
      <Drawing path={props.path} />
    </button>
  );
}

function ReplayMenu(props: { id: string; replay: Replay; onHelp: () => void }): JSX.Element {
  const name = createUniqueId();
  const speedName = (speed: number) =>
    speed === 1 ? t('video.speed.normal') : `${new Intl.NumberFormat(language()).format(speed)}×`;
  return (
    <fieldset
      id={props.id}
      class="player-menu"
      aria-label={t('player.settings')}
      ref={(element) => onMount(() => liftOnSmall(element))}
    >
      <Qualities playback={props.replay} />
      <fieldset class="player-qualities replay-speeds">
        <legend>{t('video.speed')}</legend>
        <For each={SPEEDS}>
          {(speed) => (
            <label>
              <input
                type="radio"
                name={name}
                checked={props.replay.speed() === speed}
                onChange={() => props.replay.chooseSpeed(speed)}
              />
              {speedName(speed)}
            </label>
          )}
        </For>
      </fieldset>
      <button type="button" class="player-menu-keys" onClick={() => props.onHelp()}>
        {t('player.help.title')}
        <span class="player-key" aria-hidden="true">
          ?
        </span>
      </button>
    </fieldset>
  );
}

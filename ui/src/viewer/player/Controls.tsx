/** The bar at the bottom of the picture, and the menu above it. */
import { createEffect, createSignal, createUniqueId, type JSX, onCleanup, Show } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { t } from '../../i18n/index.ts';
import { Menu, seconds } from './Menu.tsx';
import type { Surroundings } from './Player.tsx';
import type { Playback } from './playback.ts';

export interface ControlsProps {
  playback: Playback;
  theatre: Surroundings['theatre'];
  onLowLatency: (on: boolean) => void;
  onHelp: () => void;
  /** There is something to read among them. */
  stays: boolean;
  /** What stands above the bar. */
  children?: JSX.Element;
}

export function Controls(props: ControlsProps): JSX.Element {
  const menuId = createUniqueId();
  const [open, setOpen] = createSignal(false);
  let root: HTMLElement | undefined;
  let button: HTMLButtonElement | undefined;

  const close = () => {
    setOpen(false);
    button?.focus();
  };
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
      class="player-bottom"
      attr:noautohide={open() || props.stays ? '' : undefined}
      ref={(element) => {
        root = element;
        // The engine knows a better place than the very end, where the button would go.
        element.addEventListener('mediaseektoliverequest', (event) => {
          event.stopPropagation();
          props.playback.seekToLive();
        });
        element.addEventListener('keydown', (event) => {
          if (event.key === 'Escape' && open()) close();
        });
      }}
    >
      <Show when={open()}>
        <Menu
          id={menuId}
          playback={props.playback}
          onLowLatency={props.onLowLatency}
          onHelp={() => {
            setOpen(false);
            props.onHelp();
          }}
        />
      </Show>
      {props.children}
      <media-control-bar>
        <media-play-button attr:aria-keyshortcuts="Space k" />
        <media-mute-button attr:aria-keyshortcuts="m" />
        <media-volume-range attr:aria-keyshortcuts="9 0" />
        <media-live-button />
        {/* Who is further behind went there, and what they see says how far. */}
        <Show when={!props.playback.source() && props.playback.latency()}>
          {(latency) => (
            <span class="player-latency" title={t('player.behind')}>
              {seconds(latency())}
            </span>
          )}
        </Show>
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

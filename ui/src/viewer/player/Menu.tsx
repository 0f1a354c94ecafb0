/** Quality, distance to live, and the way to the keys. */
import { createUniqueId, For, type JSX, onMount, Show } from 'solid-js';
import { language, t } from '../../i18n/index.ts';
import { AUTOMATIC, type Quality } from './engine.ts';
import type { Playback } from './playback.ts';

export interface MenuProps {
  id: string;
  playback: Playback;
  onLowLatency: (on: boolean) => void;
  onHelp: () => void;
}

/** What the server calls the encoder's own picture that the operator has given no name. */
const UNNAMED_SOURCE = 'Source';

/** What the operator calls it; otherwise "720p", or by its bitrate where two have the same height or none is known. */
export function qualityName(quality: Quality, all: Quality[]): string {
  if (quality.name) return quality.name === UNNAMED_SOURCE ? t('player.quality.source') : quality.name;
  const twin = all.some((other) => other.id !== quality.id && other.height === quality.height);
  if (quality.height > 0 && !twin) return `${quality.height}p`;
  const rate = t('player.kbps', { count: quality.kbps });
  return quality.height > 0 ? `${quality.height}p, ${rate}` : rate;
}

export const seconds = (value: number) =>
  new Intl.NumberFormat(language(), {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'narrow',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  }).format(value);

/** As style sheets of the player ask too: the picture is lower than its menu. */
const SMALL = '(width < 40rem), (height < 30rem)';

/** There it is a sheet at the bottom of the window, above everything that would cut it off. */
export function liftOnSmall(menu: HTMLElement): void {
  if (typeof menu.showPopover !== 'function' || !matchMedia(SMALL).matches) return;
  menu.popover = 'manual';
  menu.showPopover();
}

export function Menu(props: MenuProps): JSX.Element {
  const switchId = createUniqueId();
  return (
    <fieldset
      id={props.id}
      class="player-menu"
      aria-label={t('player.settings')}
      ref={(element) => onMount(() => liftOnSmall(element))}
    >
      <Qualities playback={props.playback} />
      <div class="player-menu-row">
        <label for={switchId}>{t('player.lowLatency')}</label>
        <input
          id={switchId}
          class="switch"
          type="checkbox"
          role="switch"
          checked={props.playback.lowLatency()}
          aria-checked={props.playback.lowLatency()}
          onChange={(event) => props.onLowLatency(event.currentTarget.checked)}
        />
      </div>
      <div class="player-menu-row">
        <span>{t('player.behind')}</span>
        <output>
          <Show when={props.playback.latency()} fallback="–">
            {(latency) => seconds(latency())}
          </Show>
        </output>
      </div>
      <button type="button" class="player-menu-keys" onClick={() => props.onHelp()}>
        {t('player.help.title')}
        <span class="player-key" aria-hidden="true">
          ?
        </span>
      </button>
    </fieldset>
  );
}

type QualityChoice = Pick<Playback, 'qualities' | 'quality' | 'shownQuality' | 'chooseQuality'>;

/** The best one first; with a single one there is nothing to choose. */
export function Qualities(props: { playback: QualityChoice }): JSX.Element {
  const name = createUniqueId();
  const sorted = () => props.playback.qualities().toSorted((one, other) => other.kbps - one.kbps);
  const automatic = () => {
    const shown = sorted().find(({ id }) => id === props.playback.shownQuality());
    if (!shown || props.playback.quality() !== AUTOMATIC) return t('player.quality.auto');
    return t('player.quality.auto.shown', { name: qualityName(shown, sorted()) });
  };
  const choices = () => [
    { id: AUTOMATIC, label: automatic() },
    ...sorted().map((quality) => ({ id: quality.id, label: qualityName(quality, sorted()) })),
  ];
  return (
    <Show
      when={sorted().length > 1}
      fallback={
        <div class="player-menu-row">
          <span>{t('player.quality')}</span>
          <output>{t('player.quality.source')}</output>
        </div>
      }
    >
      <fieldset class="player-qualities">
        <legend>{t('player.quality')}</legend>
        <For each={choices()}>
          {(choice) => (
            <label>
              <input
                type="radio"
                name={name}
                checked={props.playback.quality() === choice.id}
                onChange={() => props.playback.chooseQuality(choice.id)}
              />
              {choice.label}
            </label>
          )}
        </For>
      </fieldset>
    </Show>
  );
}

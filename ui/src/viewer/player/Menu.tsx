/** Quality, distance to live, and which keys there are. */
import { createUniqueId, For, type JSX, Show } from 'solid-js';
import { language, t } from '../../i18n/index.ts';
import { AUTOMATIC, type Quality } from './engine.ts';
import type { Playback } from './playback.ts';

export interface MenuProps {
  id: string;
  playback: Playback;
  onLowLatency: (on: boolean) => void;
}

/** What the operator calls it; otherwise "720p", or by its bitrate where two have the same height or none is known. */
export function qualityName(quality: Quality, all: Quality[]): string {
  if (quality.name) return quality.name;
  const twin = all.some((other) => other.id !== quality.id && other.height === quality.height);
  if (quality.height > 0 && !twin) return `${quality.height}p`;
  const rate = t('player.kbps', { count: quality.kbps });
  return quality.height > 0 ? `${quality.height}p, ${rate}` : rate;
}

const seconds = (value: number) =>
  new Intl.NumberFormat(language(), {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'narrow',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  }).format(value);

export function Menu(props: MenuProps): JSX.Element {
  const switchId = createUniqueId();
  return (
    <fieldset id={props.id} class="player-menu" aria-label={t('player.settings')}>
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
      <p class="player-menu-keys">{t('player.keys')}</p>
    </fieldset>
  );
}

/** The best one first; with a single one there is nothing to choose. */
function Qualities(props: { playback: Playback }): JSX.Element {
  const name = createUniqueId();
  const sorted = () => props.playback.qualities().toSorted((one, other) => other.kbps - one.kbps);
  const choices = () => [
    { id: AUTOMATIC, label: t('player.quality.auto') },
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

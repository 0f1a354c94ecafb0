/** Which keys there are, over the picture. */
import { For, type JSX, onMount } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { t } from '../../i18n/index.ts';

export interface HelpProps {
  /** Both only where the page around the player has them. */
  hasTheatre: boolean;
  hasChat: boolean;
  onClose: () => void;
}

export default function Help(props: HelpProps): JSX.Element {
  let close: HTMLButtonElement | undefined;
  onMount(() => close?.focus());
  const rows = () => [
    { keys: [t('player.help.space'), 'K'], does: t('player.help.play') },
    { keys: ['←', '→'], does: t('player.help.step') },
    { keys: ['J', 'L'], does: t('player.help.skip') },
    { keys: ['M'], does: t('player.help.mute') },
    { keys: ['9', '0', '↓', '↑'], does: t('player.help.volume') },
    { keys: ['F'], does: t('player.help.fullscreen') },
    ...(props.hasTheatre ? [{ keys: ['T'], does: t('player.theatre') }] : []),
    { keys: ['I'], does: t('player.help.pip') },
    ...(props.hasChat ? [{ keys: ['C'], does: t('player.help.chat') }] : []),
    { keys: ['?'], does: t('player.help.title') },
  ];
  return (
    <div
      class="player-help"
      role="dialog"
      aria-label={t('player.help.title')}
      ref={(element) => {
        element.addEventListener('keydown', (event) => {
          if (event.key === 'Escape') props.onClose();
        });
      }}
    >
      <div class="player-help-head">
        <strong>{t('player.help.title')}</strong>
        <button
          type="button"
          class="player-button"
          aria-label={t('common.close')}
          ref={(element) => {
            close = element;
          }}
          onClick={() => props.onClose()}
        >
          <Icon name="cross" />
        </button>
      </div>
      <dl>
        <For each={rows()}>
          {(row) => (
            <div>
              <dt>
                <For each={row.keys}>{(key) => <kbd>{key}</kbd>}</For>
              </dt>
              <dd>{row.does}</dd>
            </div>
          )}
        </For>
      </dl>
    </div>
  );
}

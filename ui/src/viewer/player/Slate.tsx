/** What lies over the picture when there is something to say: getting ready, lost, broken, over. */
import { type JSX, Match, Show, Switch } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { t } from '../../i18n/index.ts';
import type { UnplayableCodec } from './codecs.ts';
import { PLAYLIST } from './engine.ts';
import type { PlayerState } from './state.ts';

interface SlateProps {
  state: PlayerState;
  /** The stream has just begun; otherwise it is only this page that does. */
  isNew: boolean;
  unplayable?: UnplayableCodec | undefined;
  onRetry?: () => void;
  onListen?: () => void;
}

export function Slate(props: SlateProps): JSX.Element {
  return (
    <Switch>
      <Match when={props.state === 'starting'}>
        <Show when={props.isNew} fallback={<Loading />}>
          <Notice busy text={t('player.starting')} />
        </Show>
      </Match>
      <Match when={props.state === 'waiting'}>
        <Notice busy title={t('player.waiting.title')} text={t('player.waiting')} />
      </Match>
      <Match when={props.state === 'ended'}>
        <Notice title={t('player.ended.title')} text={t('player.ended')} />
      </Match>
      <Match when={props.state === 'error'}>
        <Notice title={t('player.error.title')} text={t('player.error')} onRetry={props.onRetry} />
      </Match>
      <Match when={props.state === 'unplayable'}>
        <CodecNotice unplayable={props.unplayable} onListen={props.onListen} />
      </Match>
    </Switch>
  );
}

/** Those that Apple's and Microsoft's browsers know and others often do not. */
const OF_THE_SYSTEM = 'HEVC';

/** Nothing that waiting mends by itself, so it says what does. */
function CodecNotice(props: {
  unplayable: UnplayableCodec | undefined;
  onListen: (() => void) | undefined;
}): JSX.Element {
  const codec = () => props.unplayable?.codec;
  const title = () => {
    const name = codec();
    if (!name) return t('player.unsupported.title');
    return t(props.unplayable?.isPicture ? 'player.unplayable.picture' : 'player.unplayable.sound', { codec: name });
  };
  const advice = () => t(codec() === OF_THE_SYSTEM ? 'player.unplayable.hevc' : 'player.unplayable.other');
  return (
    <div class="slate" role="status">
      <strong>{title()}</strong>
      <p>{advice()}</p>
      <code class="slate-address">{new URL(PLAYLIST, location.href).href}</code>
      <p>{t('player.unplayable.later')}</p>
      <Show when={props.unplayable?.sound ? props.onListen : undefined}>
        {(listen) => (
          <button type="button" class="button" data-size="small" onClick={() => listen()()}>
            <Icon name="sound" />
            {t('player.unplayable.listen')}
          </button>
        )}
      </Show>
    </div>
  );
}

function Loading(): JSX.Element {
  return (
    <div class="slate" data-tone="calm" role="status">
      <span class="player-spinner" aria-hidden="true" />
      <span class="visually-hidden">{t('common.loading')}</span>
    </div>
  );
}

export function Notice(props: { busy?: boolean; title?: string; text: string; onRetry?: () => void }): JSX.Element {
  return (
    <div class="slate" role="status">
      <Show when={props.busy}>
        <span class="slate-ripple" aria-hidden="true" />
      </Show>
      <Show when={props.title}>
        <strong>{props.title}</strong>
      </Show>
      <p>{props.text}</p>
      <Show when={props.onRetry}>
        {(retry) => (
          <button type="button" class="button" data-size="small" onClick={() => retry()()}>
            <Icon name="refresh" />
            {t('common.retry')}
          </button>
        )}
      </Show>
    </div>
  );
}

/** What lies over the picture when there is something to say: getting ready, lost, broken, over. */
import { type JSX, Match, Show, Switch } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';
import { t } from '../../i18n/index.ts';
import type { PlayerState } from './state.ts';

export function Slate(props: { state: PlayerState; onRetry?: () => void }): JSX.Element {
  return (
    <Switch>
      <Match when={props.state === 'starting'}>
        <Notice busy text={t('player.starting')} />
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
    </Switch>
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

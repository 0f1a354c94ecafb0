/** What a page shows when it has nothing, waits, or failed. */
import { For, type JSX, Show } from 'solid-js';
import { t } from '../i18n/index.ts';
import { Icon, type IconName } from './Icon.tsx';

export function Banner(props: { tone?: 'info' | 'warning' | 'error'; children: JSX.Element }): JSX.Element {
  const tone = () => props.tone ?? 'info';
  return (
    <div class="banner" data-tone={tone()} role={tone() === 'error' ? 'alert' : undefined}>
      <Icon name={tone() === 'info' ? 'info' : 'alert'} />
      <div>{props.children}</div>
    </div>
  );
}

export function EmptyState(props: { icon?: IconName; title?: string; children?: JSX.Element }): JSX.Element {
  return (
    <div class="empty-state">
      <Icon name={props.icon ?? 'wave'} />
      <Show when={props.title}>
        <h2>{props.title}</h2>
      </Show>
      {props.children}
    </div>
  );
}

export function Skeleton(props: { lines?: number }): JSX.Element {
  return (
    <div class="skeleton" role="status">
      <For each={Array.from({ length: props.lines ?? 4 })}>{() => <span />}</For>
      <div class="visually-hidden">{t('common.loading')}</div>
    </div>
  );
}

/** A failed load with the one thing that can be done about it. */
export function LoadError(props: { title: string; text?: string; onRetry: () => void }): JSX.Element {
  return (
    <Banner tone="error">
      <strong>{props.title}</strong>
      <Show when={props.text}>
        <p>{props.text}</p>
      </Show>
      <div class="row">
        <button type="button" class="button" data-size="small" onClick={() => props.onRetry()}>
          <Icon name="refresh" />
          {t('common.retry')}
        </button>
      </div>
    </Banner>
  );
}

/** First of all: what is not as it should be, in plain words, and where something can be done about it. */
import './home.css';
import { For, type JSX, Match, Show, Switch } from 'solid-js';
import { Skeleton } from '../../design/Feedback.tsx';
import { Icon } from '../../design/Icon.tsx';
import { ta } from '../../i18n/admin.ts';
import { Link } from '../../router.tsx';
import { StoppedPluginLine } from '../plugins/StoppedPlugins.tsx';
import type { Plugin } from '../plugins/wire.ts';
import type { Concern } from './attention.ts';
import type { Attention } from './useAttention.ts';

export function AttentionCard(props: { attention: Attention; stopped: Plugin[] }): JSX.Element {
  const isEmpty = () => props.attention.concerns().length === 0 && props.stopped.length === 0;
  return (
    <section class="card card-wide">
      <h2>{ta('attention.title')}</h2>
      <Switch>
        <Match when={!isEmpty()}>
          <ul class="concerns">
            <For each={props.stopped}>
              {(plugin) => (
                <li class="concern" data-level="warning">
                  <Icon name="alert" />
                  <StoppedPluginLine plugin={plugin} />
                </li>
              )}
            </For>
            <For each={props.attention.concerns()}>{(concern) => <Line concern={concern} />}</For>
          </ul>
        </Match>
        <Match when={props.attention.ready()}>
          <p class="all-well">
            <Icon name="check" />
            {ta('attention.none')}
          </p>
        </Match>
        <Match when={true}>
          <Skeleton lines={2} />
        </Match>
      </Switch>
    </section>
  );
}

function Line(props: { concern: Concern }): JSX.Element {
  return (
    <li class="concern" data-level={props.concern.level} data-id={props.concern.id}>
      <Icon name={props.concern.level === 'info' ? 'info' : 'alert'} />
      <p>{props.concern.text}</p>
      <Show when={props.concern.action}>
        {(action) => (
          <Link class="button" data-size="small" href={action().href}>
            {action().label}
          </Link>
        )}
      </Show>
    </li>
  );
}

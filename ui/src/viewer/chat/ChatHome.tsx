/** Whose chat this is, and the way to the stream. An overlay says it to screen readers alone. */
import './chat-home.css';
import { type JSX, Show } from 'solid-js';
import { Icon } from '../../design/Icon.tsx';

export function ChatHome(props: { name: string; isOverlay: boolean }): JSX.Element {
  return (
    <h1 class={props.isOverlay ? 'visually-hidden' : 'chat-home'}>
      <Show when={!props.isOverlay} fallback={props.name}>
        <a href="/" target="_blank" rel="noopener">
          <span>{props.name}</span>
          <Icon name="external" />
        </a>
      </Show>
    </h1>
  );
}

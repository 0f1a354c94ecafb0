/** The only place where HTML of the chat becomes part of the page, and only what the allow-list made of it. */
import type { JSX } from 'solid-js';
import { isEmojiOnly, sanitise, type Trust } from './sanitise.ts';

export function Body(props: { html: string; trust?: Trust }): JSX.Element {
  return <Content of={sanitise(props.html, props.trust ?? 'line')} />;
}

/** `of` comes from `sanitise`. */
export function Content(props: { of: DocumentFragment; class?: string }): JSX.Element {
  return (
    <div
      class={props.class ? `${props.class} chat-body` : 'chat-body'}
      data-jumbo={isEmojiOnly(props.of) ? 'true' : undefined}
      ref={(element) => element.append(props.of)}
    />
  );
}

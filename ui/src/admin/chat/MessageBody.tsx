import type { JSX } from 'solid-js';
import { Content } from '../../viewer/chat/Body.tsx';
import { revealed } from './text.ts';

/** What somebody wrote, through the same allow-list as in the chat. A message never changes its words. */
export function MessageBody(props: { html: string }): JSX.Element {
  const content = revealed(props.html);
  return <Content class="message-body" of={content} />;
}

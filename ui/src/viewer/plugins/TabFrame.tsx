/** What a plugin shows in a tab: in a frame without an origin, as high as its content. */
import './tab-frame.css';
import { type JSX, onCleanup, onMount } from 'solid-js';
import type { PluginTab } from '../../wire.ts';
import { HEIGHT_KEY, nonceOf, tabDocument } from './document.ts';

/** A plugin cannot make the page endless; what is higher scrolls. */
const MAX_HEIGHT_PX = 10_000;

/** Never with the origin of this page: its scripts could then act as the viewer. */
const SANDBOX = 'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox';

export function TabFrame(props: { tab: PluginTab }): JSX.Element {
  let frame: HTMLIFrameElement | undefined;

  const measure = (event: MessageEvent) => {
    if (!frame || event.source !== frame.contentWindow) return;
    const height = Number(event.data?.[HEIGHT_KEY]);
    if (height > 0) frame.style.height = `${Math.min(Math.ceil(height), MAX_HEIGHT_PX)}px`;
  };
  onMount(() => window.addEventListener('message', measure));
  onCleanup(() => window.removeEventListener('message', measure));

  return (
    <iframe
      class="tab-frame"
      title={props.tab.title}
      sandbox={SANDBOX}
      referrerpolicy="strict-origin-when-cross-origin"
      srcdoc={tabDocument(props.tab.html, nonceOf(document))}
      ref={(element) => {
        frame = element;
      }}
    />
  );
}

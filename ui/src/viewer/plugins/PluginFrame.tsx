/** HTML of a plugin: in a frame without an origin, as high as its content. */
import './plugin-frame.css';
import { createMemo, type JSX, onCleanup, onMount, Show } from 'solid-js';
import { frameDocument, HEIGHT_KEY, nonceOf } from './document.ts';
import { createPass, homeOf } from './pass.ts';

/** A plugin cannot make the page endless; what is higher scrolls. */
const MAX_HEIGHT_PX = 10_000;
/** Browsers do not lay out what has no room, so it could never ask for more. */
const MIN_HEIGHT_PX = 1;

/** Never with the origin of this page: its scripts could then act as the viewer. */
const SANDBOX = 'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox';

export interface FrameContent {
  /** Whose it is. */
  plugin: string;
  title: string;
  html: string;
  /** For what stands amid a text of ours: without room around it, and with these styles of the plugin. */
  styles?: string;
}

export function PluginFrame(props: FrameContent): JSX.Element {
  let frame: HTMLIFrameElement | undefined;

  const measure = (event: MessageEvent) => {
    if (!frame || event.source !== frame.contentWindow) return;
    const height = Number(event.data?.[HEIGHT_KEY]);
    if (height >= 0) frame.style.height = `${Math.min(Math.max(Math.ceil(height), MIN_HEIGHT_PX), MAX_HEIGHT_PX)}px`;
  };
  onMount(() => window.addEventListener('message', measure));
  onCleanup(() => window.removeEventListener('message', measure));
  const pass = createPass(() => props.plugin);
  // The same text must not be set again: that would empty the frame. Somebody else is worth it.
  const text = createMemo(() => {
    const known = pass();
    if (known === undefined) return;
    return frameDocument(props.html, nonceOf(document), homeOf(props.plugin, known), props.styles);
  });

  return (
    <Show when={text()}>
      {(known) => (
        <iframe
          class="plugin-frame"
          title={props.title}
          sandbox={SANDBOX}
          referrerpolicy="strict-origin-when-cross-origin"
          srcdoc={known()}
          ref={(element) => {
            frame = element;
          }}
        />
      )}
    </Show>
  );
}

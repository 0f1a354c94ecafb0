/** `/embed/video`: the player alone, for a frame on somebody else's page. */
import { type JSX, Show } from 'solid-js';
import type { ViewerBoot } from '../wire.ts';
import type { Autoplay } from './player/sound.ts';
import { Picture } from './Stage.tsx';
import { createSite } from './site.ts';

export interface EmbedOptions {
  /** Absent: as the operator wants it. */
  autoplay: Autoplay | undefined;
  startMuted: boolean;
}

const AUTOPLAY: readonly string[] = ['always', 'sound-only', 'off'] satisfies Autoplay[];

/** What the address of the frame asks for; anything unknown is the operator's choice. */
export function embedOptions(search: string): EmbedOptions {
  const query = new URLSearchParams(search);
  const autoplay = query.get('autoplay') ?? '';
  return {
    autoplay: AUTOPLAY.includes(autoplay) ? (autoplay as Autoplay) : undefined,
    startMuted: query.get('initiallyMuted') === 'true',
  };
}

export function Embed(props: EmbedOptions & { boot?: ViewerBoot }): JSX.Element {
  const site = createSite(props.boot);
  return (
    <main class="embed">
      <Show when={site.loaded()}>
        {(page) => (
          <Picture
            config={page().config}
            status={page().status}
            autoplay={props.autoplay}
            startMuted={props.startMuted}
            isFramed
          />
        )}
      </Show>
    </main>
  );
}

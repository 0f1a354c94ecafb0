/** The frame of a past stream: all of it is fetched when a frame shows one. */
import type { JSX } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import type { EmbedOptions } from '../Embed.tsx';
import { lazyParts } from './lazy-parts.tsx';
import type { VideoBoot } from './wire.ts';

const WithFrame = lazyParts(() => import('./watch/EmbeddedVideo.tsx'));

export function FramedVideo(props: EmbedOptions & { boot?: VideoBoot; id: string | undefined }): JSX.Element {
  return <WithFrame>{(parts) => <Dynamic component={parts.EmbeddedVideo} {...props} />}</WithFrame>;
}

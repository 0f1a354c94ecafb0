/** What a page knows of its video: brought along or asked for, and whether it is still there. */
import { createSignal, onMount } from 'solid-js';
import { ApiError, api } from '../../../api.ts';
import type { Video } from '../wire.ts';

const NOT_FOUND = 404;

export type VideoState = 'loading' | 'ready' | 'gone' | 'failed';

/** `id` is undefined where the address names none that can be. */
export function createVideo(id: string | undefined, known: Video | undefined) {
  const brought = known && known.id === id ? known : undefined;
  const [video, setVideo] = createSignal(brought);
  const [state, setState] = createSignal<VideoState>(id === undefined ? 'gone' : brought ? 'ready' : 'loading');

  const load = async () => {
    if (id === undefined) return;
    if (state() === 'failed') setState('loading');
    try {
      setVideo(await api.get<Video>(`/api/videos/${id}`));
      setState('ready');
    } catch (problem) {
      const isGone = problem instanceof ApiError && problem.status === NOT_FOUND;
      if (isGone) setState('gone');
      // What is known is not wrong because nobody answers now.
      else if (!video()) setState('failed');
    }
  };
  onMount(() => {
    if (!brought) void load();
  });

  return {
    video,
    state,
    load,
    /** It does not play: it may have been taken down since. */
    lookAgain: () => void load(),
  };
}

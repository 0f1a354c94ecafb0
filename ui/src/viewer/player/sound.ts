/** Starting with sound where the browser allows it, and remembering how loud the viewer likes it. */
import { readPreference, writePreference } from '../../storage.ts';

/** `always`: muted rather than not at all. `sound-only`: with sound or not at all. `off`: only when asked. */
export type Autoplay = 'always' | 'sound-only' | 'off';

export type StartResult = 'with-sound' | 'muted' | 'blocked' | 'interrupted';

const isRefusal = (problem: unknown) => problem instanceof DOMException && problem.name === 'NotAllowedError';

/** Tries to play; without the viewer's consent browsers allow that only muted. */
export async function startPlaying(video: HTMLVideoElement, autoplay: Autoplay): Promise<StartResult> {
  try {
    await video.play();
    return video.muted ? 'muted' : 'with-sound';
  } catch (problem) {
    // Anything else is a source that was changed meanwhile; it will be tried again.
    if (!isRefusal(problem)) return 'interrupted';
    if (video.muted || autoplay !== 'always') return 'blocked';
  }
  video.muted = true;
  try {
    await video.play();
    return 'muted';
  } catch (problem) {
    video.muted = false;
    return isRefusal(problem) ? 'blocked' : 'interrupted';
  }
}

/** Sets the volume of the last visit and keeps the next one in step. Returns the function that stops that. */
export function rememberVolume(video: HTMLVideoElement): () => void {
  const stored = Number.parseFloat(readPreference('volume') ?? '');
  if (stored >= 0 && stored <= 1) video.volume = stored;
  const onChange = () => writePreference('volume', video.volume.toFixed(2));
  video.addEventListener('volumechange', onChange);
  return () => video.removeEventListener('volumechange', onChange);
}

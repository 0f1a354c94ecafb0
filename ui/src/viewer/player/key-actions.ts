/** What the keys do. */
import type { KeyAction } from './keys.ts';
import type { Playback } from './playback.ts';

const VOLUME_STEP = 0.1;
const SKIP_SECONDS = 10;
const STEP_SECONDS = 5;

export interface KeyActionTargets {
  video: HTMLVideoElement;
  /** media-chrome's. */
  controller: HTMLElement;
  playback: Pick<Playback, 'skip'>;
  /** Undefined where the page has no other room for the picture. */
  onTheatre: (() => void) | undefined;
  onHelp: () => void;
}

export function perform(action: KeyAction, { video, controller, playback, onTheatre, onHelp }: KeyActionTargets): void {
  const ask = (request: string) => controller.dispatchEvent(new CustomEvent(request));
  switch (action) {
    case 'play':
      ask(video.paused ? 'mediaplayrequest' : 'mediapauserequest');
      break;
    case 'mute':
      video.muted = !video.muted;
      break;
    case 'fullscreen':
      ask(document.fullscreenElement ? 'mediaexitfullscreenrequest' : 'mediaenterfullscreenrequest');
      break;
    case 'pip':
      ask(document.pictureInPictureElement ? 'mediaexitpiprequest' : 'mediaenterpiprequest');
      break;
    case 'louder':
      video.muted = false;
      video.volume = Math.min(1, video.volume + VOLUME_STEP);
      break;
    case 'quieter':
      video.volume = Math.max(0, video.volume - VOLUME_STEP);
      break;
    case 'back':
      playback.skip(-SKIP_SECONDS);
      break;
    case 'forward':
      playback.skip(SKIP_SECONDS);
      break;
    case 'step-back':
      playback.skip(-STEP_SECONDS);
      break;
    case 'step-forward':
      playback.skip(STEP_SECONDS);
      break;
    case 'theatre':
      onTheatre?.();
      break;
    case 'help':
      onHelp();
      break;
  }
}

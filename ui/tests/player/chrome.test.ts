import MediaAirplayButton from 'media-chrome/media-airplay-button';
import MediaControlBar from 'media-chrome/media-control-bar';
import MediaController from 'media-chrome/media-controller';
import MediaFullscreenButton from 'media-chrome/media-fullscreen-button';
import MediaLiveButton from 'media-chrome/media-live-button';
import MediaMuteButton from 'media-chrome/media-mute-button';
import MediaPipButton from 'media-chrome/media-pip-button';
import MediaPlayButton from 'media-chrome/media-play-button';
import MediaVolumeRange from 'media-chrome/media-volume-range';
import { beforeAll, expect, test } from 'vitest';

/** jsdom is not browser enough to register the elements; what they would write is known all the same. */
type WithTemplate = { getTemplateHTML: (attributes: object) => string };

const ELEMENTS = Object.entries({
  MediaAirplayButton,
  MediaControlBar,
  MediaController,
  MediaFullscreenButton,
  MediaLiveButton,
  MediaMuteButton,
  MediaPipButton,
  MediaPlayButton,
  MediaVolumeRange,
}) as unknown as [string, WithTemplate][];

beforeAll(async () => {
  document.body.innerHTML = '<script id="boot" type="application/json" nonce="abc">{}</script>';
  await import('../../src/viewer/player/chrome.ts');
});

test.each(ELEMENTS)('every style of %s bears the nonce, or the policy would refuse it', (_name, element) => {
  const html = element.getTemplateHTML({});
  expect(html).toContain('<style nonce="abc">');
  expect(html).not.toContain('<style>');
  expect(html).not.toMatch(/ style=/);
});

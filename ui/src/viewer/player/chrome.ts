/**
 * The controls of media-chrome that we use, and nothing else of it.
 * They carry <style> elements in their shadow roots, which our content security policy refuses unless they bear the
 * page's nonce; so every template gets it before the first element is made.
 */
import 'media-chrome/media-airplay-button';
import 'media-chrome/media-fullscreen-button';
import 'media-chrome/media-live-button';
import 'media-chrome/media-mute-button';
import 'media-chrome/media-pip-button';
import 'media-chrome/media-play-button';
import 'media-chrome/media-volume-range';
import { MediaChromeButton } from 'media-chrome/media-chrome-button';
import { MediaChromeRange } from 'media-chrome/media-chrome-range';
import { MediaContainer } from 'media-chrome/media-container';
import MediaControlBar from 'media-chrome/media-control-bar';
import 'media-chrome/media-controller';
import MediaGestureReceiver from 'media-chrome/media-gesture-receiver';
import MediaTooltip from 'media-chrome/media-tooltip';
import { setLanguage } from 'media-chrome/utils/i18n';
import type { Language } from '../../i18n/index.ts';

type Template = (...args: never[]) => string;
const WITH_STYLES = [
  MediaContainer,
  MediaChromeButton,
  MediaChromeRange,
  MediaControlBar,
  MediaGestureReceiver,
  MediaTooltip,
] as unknown as { getTemplateHTML: Template }[];

/** The parser hides the attribute, the property still has it. */
const nonce = document.getElementById('boot')?.nonce ?? '';

for (const element of WITH_STYLES) {
  const template = element.getTemplateHTML;
  element.getTemplateHTML = function withNonce(...args) {
    return template.apply(this, args).replaceAll(/<style(?! nonce)/g, `<style nonce="${nonce}"`);
  };
}

/** What media-chrome speaks beside English, and what we have written for it. */
const CONTROLS: Partial<Record<Language, () => Promise<unknown>>> = {
  ar: () => import('./controls/ar.ts'),
  de: () => import('media-chrome/lang/de.js'),
  es: () => import('media-chrome/lang/es.js'),
  fr: () => import('media-chrome/lang/fr.js'),
};

/** The names of the controls. They are written into the elements when these are made. */
export async function speakInControls(language: Language): Promise<void> {
  await CONTROLS[language]?.();
  setLanguage(language);
}

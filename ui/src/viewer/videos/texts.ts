/** The translator of these parts: what every page has, and their own. */

import type { en } from '../../i18n/en.ts';
import { enVideos } from '../../i18n/en.videos.ts';
import { type Loaders, type Translate, translate, translations } from '../../i18n/index.ts';

export const t: Translate<keyof typeof en | keyof typeof enVideos> = translate;

export const texts: Loaders = {
  en: () => enVideos,
  ...translations(import.meta.glob(['../../i18n/??.videos.ts', '!../../i18n/en.videos.ts'])),
};

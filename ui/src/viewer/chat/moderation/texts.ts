/** The translator of these parts: what every page has, and their own. */
import type { enModeration } from '../../../i18n/en.moderation.ts';
import type { en } from '../../../i18n/en.ts';
import { type Translate, translate } from '../../../i18n/index.ts';

export const tm: Translate<keyof typeof en | keyof typeof enModeration> = translate;

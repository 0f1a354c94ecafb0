/** The translator of these parts: what every page has, and their own. */

import type { enShare } from '../../i18n/en.share.ts';
import type { en } from '../../i18n/en.ts';
import { type Translate, translate } from '../../i18n/index.ts';

export const t: Translate<keyof typeof en | keyof typeof enShare> = translate;

/** The translator of these parts: what every page has, and their own. */

import type { enFediverse } from '../../i18n/en.fediverse.ts';
import type { en } from '../../i18n/en.ts';
import { type Translate, translate } from '../../i18n/index.ts';

export const tf: Translate<keyof typeof en | keyof typeof enFediverse> = translate;

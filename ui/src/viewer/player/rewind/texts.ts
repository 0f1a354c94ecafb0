/** The translator of what is fetched with the seek bar. */

import type { enRewind } from '../../../i18n/en.rewind.ts';
import type { en } from '../../../i18n/en.ts';
import { type Translate, translate } from '../../../i18n/index.ts';

export const tr: Translate<keyof typeof en | keyof typeof enRewind> = translate;

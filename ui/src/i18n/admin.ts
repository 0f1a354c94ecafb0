/** The translator of the admin pages: the shared keys and their own. */

import type { enAdmin } from './en.admin.ts';
import type { en } from './en.ts';
import { type Translate, translate } from './index.ts';

export type AdminKey = keyof typeof en | keyof typeof enAdmin;
export const ta: Translate<AdminKey> = translate;

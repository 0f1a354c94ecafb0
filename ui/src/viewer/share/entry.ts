/** Everything about sharing that is fetched on a press. */
import './share.css';
import { enShare } from '../../i18n/en.share.ts';
import type { Loaders } from '../../i18n/index.ts';

export { ShareDialog } from './ShareDialog.tsx';

export const texts: Loaders = {
  en: () => enShare,
  de: async () => (await import('../../i18n/de.share.ts')).deShare,
};

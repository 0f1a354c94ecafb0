/** Everything about sharing that is fetched on a press. */
import './share.css';
import { enShare } from '../../i18n/en.share.ts';
import { type Loaders, translations } from '../../i18n/index.ts';

export { ShareDialog } from './ShareDialog.tsx';

export const texts: Loaders = {
  en: () => enShare,
  ...translations(import.meta.glob(['../../i18n/??.share.ts', '!../../i18n/en.share.ts'])),
};

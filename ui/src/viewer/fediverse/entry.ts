/** Everything about the Fediverse that is fetched on a press. */
import './fediverse.css';
import { enFediverse } from '../../i18n/en.fediverse.ts';
import { type Loaders, translations } from '../../i18n/index.ts';

export { SignInDialog } from '../chat/SignInDialog.tsx';
export { Featured } from './Featured.tsx';
export { FollowDialog } from './FollowDialog.tsx';
export { Followers } from './Followers.tsx';

export const texts: Loaders = {
  en: () => enFediverse,
  ...translations(import.meta.glob(['../../i18n/??.fediverse.ts', '!../../i18n/en.fediverse.ts'])),
};

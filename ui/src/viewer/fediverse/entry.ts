/** Everything about the Fediverse that is fetched on a press. */
import './fediverse.css';
import { enFediverse } from '../../i18n/en.fediverse.ts';
import type { Loaders } from '../../i18n/index.ts';

export { SignInDialog } from '../chat/SignInDialog.tsx';
export { Featured } from './Featured.tsx';
export { FollowDialog } from './FollowDialog.tsx';
export { Followers } from './Followers.tsx';

export const texts: Loaders = {
  en: () => enFediverse,
  de: async () => (await import('../../i18n/de.fediverse.ts')).deFediverse,
};

/** Everything that is fetched for moderation. */
import './moderation.css';
import { enModeration } from '../../../i18n/en.moderation.ts';
import { type Loaders, translations } from '../../../i18n/index.ts';

export { InvitationDialog } from './InvitationDialog.tsx';
export { ModerationPanel } from './ModerationPanel.tsx';
export { SanctionDialog } from './SanctionDialog.tsx';

export const texts: Loaders = {
  en: () => enModeration,
  ...translations(import.meta.glob(['../../../i18n/??.moderation.ts', '!../../../i18n/en.moderation.ts'])),
};

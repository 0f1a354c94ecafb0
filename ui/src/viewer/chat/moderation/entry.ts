/** Everything that is fetched for moderation. */
import './moderation.css';
import { enModeration } from '../../../i18n/en.moderation.ts';
import type { Loaders } from '../../../i18n/index.ts';

export { InvitationDialog } from './InvitationDialog.tsx';
export { ModerationPanel } from './ModerationPanel.tsx';
export { SanctionDialog } from './SanctionDialog.tsx';

export const texts: Loaders = {
  en: () => enModeration,
  de: async () => (await import('../../../i18n/de.moderation.ts')).deModeration,
};

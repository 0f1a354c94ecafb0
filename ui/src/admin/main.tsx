import '../design/index.css';
import './admin.css';
import './fields.css';
import './live/live.css';
import './chat/chat.css';
import './chat/people.css';
import './lists/lists.css';
import './lists/stacked.css';
import './chat/emoji/emoji.css';
import { render } from 'solid-js/web';
import { readBoot } from '../boot.ts';
import { enAdmin } from '../i18n/en.admin.ts';
import { en } from '../i18n/en.ts';
import { startI18n } from '../i18n/index.ts';
import { applyStoredTheme } from '../theme.ts';
import type { AdminBoot } from '../wire.ts';
import { Admin } from './Admin.tsx';

applyStoredTheme();
await startI18n({
  en: () => ({ ...en, ...enAdmin }),
  de: async () => {
    const [shared, own] = await Promise.all([import('../i18n/de.ts'), import('../i18n/de.admin.ts')]);
    return { ...shared.de, ...own.deAdmin };
  },
});

const root = document.getElementById('app');
if (root) render(() => <Admin boot={readBoot<AdminBoot>()} />, root);

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
import { enSaid } from '../i18n/en.said.ts';
import { en } from '../i18n/en.ts';
import { startI18n, translations } from '../i18n/index.ts';
import { applyStoredTheme } from '../theme.ts';
import type { AdminBoot } from '../wire.ts';
import { Admin } from './Admin.tsx';

applyStoredTheme();
await startI18n({
  en: () => ({ ...en, ...enSaid, ...enAdmin }),
  ...translations(
    import.meta.glob(['../i18n/??.ts', '!../i18n/en.ts']),
    import.meta.glob(['../i18n/??.said.ts', '!../i18n/en.said.ts']),
    import.meta.glob(['../i18n/??.admin.ts', '!../i18n/en.admin.ts']),
  ),
});

const root = document.getElementById('app');
if (root) render(() => <Admin boot={readBoot<AdminBoot>()} />, root);

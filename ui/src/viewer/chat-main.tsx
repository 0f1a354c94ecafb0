import '../design/index.css';
import { render } from 'solid-js/web';
import { readBoot } from '../boot.ts';
import { en } from '../i18n/en.ts';
import { startI18n } from '../i18n/index.ts';
import { applyStoredTheme } from '../theme.ts';
import type { ChatBoot } from '../wire.ts';
import { ChatPage, chatMode } from './ChatPage.tsx';

applyStoredTheme();
// For overlays: only the lines, on whatever is behind the frame.
if (new URLSearchParams(location.search).has('transparent')) document.documentElement.dataset.transparent = 'true';
await startI18n({ en: () => en, de: async () => (await import('../i18n/de.ts')).de });

const root = document.getElementById('app');
const boot = readBoot<ChatBoot>();
if (root) render(() => <ChatPage boot={boot} mode={chatMode(boot, location.pathname)} />, root);

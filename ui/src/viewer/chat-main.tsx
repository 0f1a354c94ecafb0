import '../design/index.css';
import { render } from 'solid-js/web';
import { readBoot } from '../boot.ts';
import { en } from '../i18n/en.ts';
import { addTexts, startI18n, translations } from '../i18n/index.ts';
import { saidTexts } from '../i18n/said.ts';
import { applyStoredTheme } from '../theme.ts';
import type { ChatBoot } from '../wire.ts';
import { ChatPage, chatMode } from './ChatPage.tsx';

applyStoredTheme();
// For overlays: only the lines, on whatever is behind the frame.
if (new URLSearchParams(location.search).has('transparent')) document.documentElement.dataset.transparent = 'true';
await startI18n({ en: () => en, ...translations(import.meta.glob(['../i18n/??.ts', '!../i18n/en.ts'])) });
await addTexts(saidTexts);

const root = document.getElementById('app');
const boot = readBoot<ChatBoot>();
if (root) render(() => <ChatPage boot={boot} mode={chatMode(boot, location.pathname)} />, root);

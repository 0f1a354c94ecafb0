import '../design/index.css';
import './stage.css';
import './viewer.css';
import './plain.css';
import './offline-picture.css';
import './header-picture.css';
import { render } from 'solid-js/web';
import { readBoot } from '../boot.ts';
import { en } from '../i18n/en.ts';
import { startI18n, translations } from '../i18n/index.ts';
import { applyStoredTheme } from '../theme.ts';
import type { ViewerBoot } from '../wire.ts';
import { registerServiceWorker } from './service-worker.ts';
import { Viewer } from './Viewer.tsx';
import { videosRoute } from './videos/route.ts';
import { VideoPages } from './videos/VideoPages.tsx';

applyStoredTheme();
await startI18n({ en: () => en, ...translations(import.meta.glob(['../i18n/??.ts', '!../i18n/en.ts'])) });

const root = document.getElementById('app');
const route = videosRoute(location.pathname);
const boot = readBoot<ViewerBoot>();
if (root) render(() => (route ? <VideoPages boot={boot} route={route} /> : <Viewer boot={boot} />), root);
registerServiceWorker();

import '../design/index.css';
import './stage.css';
import './embed.css';
import './offline-picture.css';
import { render } from 'solid-js/web';
import { readBoot } from '../boot.ts';
import { en } from '../i18n/en.ts';
import { startI18n, translations } from '../i18n/index.ts';
import { applyStoredTheme } from '../theme.ts';
import type { ViewerBoot } from '../wire.ts';
import { Embed, embedOptions } from './Embed.tsx';
import { FramedVideo } from './videos/FramedVideo.tsx';
import { framedVideo } from './videos/route.ts';

applyStoredTheme();
await startI18n({ en: () => en, ...translations(import.meta.glob(['../i18n/??.ts', '!../i18n/en.ts'])) });

const root = document.getElementById('app');
const past = framedVideo(location.pathname);
const boot = readBoot<ViewerBoot>();
const options = embedOptions(location.search);
if (root)
  render(
    () => (past ? <FramedVideo boot={boot} id={past.id} {...options} /> : <Embed boot={boot} {...options} />),
    root,
  );

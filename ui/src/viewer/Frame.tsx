/** Top and bottom of the public page. Ids and classes here are hooks that themes rely on. */
import { type JSX, Show } from 'solid-js';
import { CorrectionNote } from '../design/CorrectionNote.tsx';
import { Icon } from '../design/Icon.tsx';
import { Logo } from '../design/Logo.tsx';
import { LanguagePicker, ThemeToggle } from '../design/Preferences.tsx';
import { StateTag } from '../design/StateTag.tsx';
import { t } from '../i18n/index.ts';
import type { SiteConfig, StreamState } from '../wire.ts';

interface HeaderProps {
  config: SiteConfig;
  state: StreamState;
  children?: JSX.Element;
}

export function Header(props: HeaderProps): JSX.Element {
  return (
    <header id="header" class="header">
      <a class="header-brand" href="/" aria-label={t('viewer.home', { name: props.config.name })}>
        <Logo src={props.config.logo} size={36} />
        <span id="global-header-text">{props.config.name}</span>
      </a>
      <div class="header-tools">
        <Show when={props.config.videos}>
          <a
            class="button header-videos"
            data-look="quiet"
            href="/videos"
            aria-current={location.pathname === '/videos' ? 'page' : undefined}
          >
            <Icon name="video" />
            <span>{t('viewer.videos')}</span>
          </a>
        </Show>
        <StateTag state={props.state} />
        <ThemeToggle />
        {props.children}
      </div>
    </header>
  );
}

export function Footer(props: { version: string }): JSX.Element {
  return (
    <footer id="footer" class="footer">
      <span>
        Rillcast
        <Show when={props.version}> {props.version}</Show>
      </span>
      <LanguagePicker />
      <CorrectionNote />
    </footer>
  );
}

/** Inside: menu, top bar, and the page the address names. */
import { createEffect, createSignal, For, type JSX, Match, on, onMount, Show, Switch } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { api } from '../api.ts';
import { EmptyState } from '../design/Feedback.tsx';
import { Icon, type IconName } from '../design/Icon.tsx';
import { LanguagePicker } from '../design/Preferences.tsx';
import { ta } from '../i18n/admin.ts';
import { usePolling } from '../poll.ts';
import { Link } from '../router.tsx';
import type { AdminStatus } from '../wire.ts';
import { ChatSettings } from './chat/ChatSettings.tsx';
import { Emojis } from './chat/Emojis.tsx';
import { Messages } from './chat/Messages.tsx';
import { Users } from './chat/Users.tsx';
import { Appearance } from './pages/Appearance.tsx';
import { General } from './pages/General.tsx';
import { Home } from './pages/Home.tsx';
import { Logs } from './pages/Logs.tsx';
import { More } from './pages/More.tsx';
import { PastStreams } from './pages/PastStreams.tsx';
import { Server } from './pages/Server.tsx';
import { Video } from './pages/Video.tsx';
import { createSettings, SettingsContext } from './settings.tsx';
import { TopBar } from './TopBar.tsx';

const STATUS_INTERVAL_MS = 5_000;

interface Page {
  route: string;
  title: () => string;
  icon: IconName;
  view: (props: { status?: AdminStatus }) => JSX.Element;
}

const HOME: Page = { route: '', title: () => ta('nav.home'), icon: 'home', view: Home };
const CHAT: Page[] = [
  { route: 'chat/messages', title: () => ta('nav.messages'), icon: 'chat', view: Messages },
  { route: 'chat/users', title: () => ta('nav.users'), icon: 'people', view: Users },
  { route: 'chat/emojis', title: () => ta('nav.emojis'), icon: 'smile', view: Emojis },
];
const CONFIGURATION: Page[] = [
  { route: 'config/general', title: () => ta('nav.general'), icon: 'sliders', view: General },
  { route: 'config/appearance', title: () => ta('nav.appearance'), icon: 'drop', view: Appearance },
  { route: 'config/server', title: () => ta('nav.server'), icon: 'server', view: Server },
  { route: 'config/video', title: () => ta('nav.video'), icon: 'video', view: Video },
  { route: 'config-chat', title: () => ta('nav.chat'), icon: 'chat', view: ChatSettings },
];
const MORE: Page = { route: 'config/more', title: () => ta('nav.more'), icon: 'wave', view: More };
const UTILITIES: Page[] = [
  { route: 'streams', title: () => ta('nav.streams'), icon: 'clock', view: PastStreams },
  { route: 'logs', title: () => ta('nav.logs'), icon: 'list', view: Logs },
];
const ALL = [HOME, ...CHAT, ...CONFIGURATION, MORE, ...UTILITIES];

export function Layout(props: { route: string; version?: string }): JSX.Element {
  const settings = createSettings();
  const [status, setStatus] = createSignal<AdminStatus>();
  const [lost, setLost] = createSignal(false);
  const [menuOpen, setMenuOpen] = createSignal(false);
  let main: HTMLElement | undefined;

  onMount(() => void settings.load());
  usePolling({
    ask: () => api.get<AdminStatus>('/api/admin/status'),
    onAnswer: setStatus,
    onTrouble: setLost,
    intervalMs: STATUS_INTERVAL_MS,
    immediately: true,
  });

  const page = () => ALL.find((one) => one.route === props.route);
  const title = () => page()?.title() ?? ta('missing.title');

  createEffect(() => {
    document.title = `${title()} · Rillcast`;
  });
  createEffect(
    on(
      () => props.route,
      () => {
        setMenuOpen(false);
        // A screen reader starts reading at the new page, not at the menu.
        main?.focus();
        window.scrollTo(0, 0);
      },
      { defer: true },
    ),
  );

  return (
    <SettingsContext.Provider value={settings}>
      <div class="admin">
        <a class="skip-link" href="#main">
          {ta('common.skip')}
        </a>
        <TopBar status={status()} menuOpen={menuOpen()} onMenu={() => setMenuOpen(!menuOpen())} />
        <nav id="menu" class="menu" classList={{ 'is-open': menuOpen() }} aria-label={ta('nav.label')}>
          <MenuGroup pages={[HOME]} />
          <MenuGroup title={ta('nav.chatUsers')} pages={CHAT} />
          <MenuGroup
            title={ta('nav.configuration')}
            pages={settings.unknown().length > 0 ? [...CONFIGURATION, MORE] : CONFIGURATION}
          />
          <MenuGroup title={ta('nav.utilities')} pages={UTILITIES} />
          <div class="menu-foot">
            <LanguagePicker />
            <Show when={status()?.versionNumber ?? props.version}>
              {(version) => <span class="small">Rillcast {version()}</span>}
            </Show>
          </div>
        </nav>
        <main
          id="main"
          tabindex="-1"
          ref={(element) => {
            main = element;
          }}
        >
          <h1 class="page-title">{title()}</h1>
          <div class="connection-line" role="status">
            <Show when={lost()}>{ta('viewer.lost')}</Show>
          </div>
          <Switch fallback={<Missing />}>
            <Match when={page()}>{(found) => <Dynamic component={found().view} status={status()} />}</Match>
          </Switch>
        </main>
      </div>
    </SettingsContext.Provider>
  );
}

function MenuGroup(props: { title?: string; pages: Page[] }): JSX.Element {
  return (
    <div class="menu-group">
      <Show when={props.title}>
        <h2>{props.title}</h2>
      </Show>
      <ul>
        <For each={props.pages}>
          {(page) => (
            <li>
              <Link href={`/admin/${page.route}`}>
                <Icon name={page.icon} />
                {page.title()}
              </Link>
            </li>
          )}
        </For>
      </ul>
    </div>
  );
}

function Missing(): JSX.Element {
  return (
    <EmptyState>
      <p>{ta('missing.text')}</p>
      <Link class="button" href="/admin/">
        {ta('missing.back')}
      </Link>
    </EmptyState>
  );
}

/** Inside: menu, top bar, and the page the address names. */
import { createEffect, createMemo, createSignal, For, type JSX, Match, on, onMount, Show, Switch } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { api } from '../api.ts';
import { EmptyState } from '../design/Feedback.tsx';
import { LanguagePicker } from '../design/Preferences.tsx';
import { type AdminKey, ta } from '../i18n/admin.ts';
import { usePolling } from '../poll.ts';
import { Link, navigate, pathname } from '../router.tsx';
import type { AdminStatus } from '../wire.ts';
import { AdminIcon } from './icons.tsx';
import { addressOf, menu, type Page, pageAt } from './routes.tsx';
import { createSettings, SettingsContext } from './settings.tsx';
import { TopBar } from './TopBar.tsx';

const STATUS_INTERVAL_MS = 5_000;

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

  // One page under two names is still one page: it must not start anew when its address is put right.
  const page = createMemo(() => pageAt(props.route));
  // Every save makes the list of settings anew; the menu changes only with the answer.
  const hasMore = createMemo(() => settings.unknown().length > 0);
  const groups = createMemo(() => menu(hasMore()));
  const title = () => page()?.title() ?? ta('missing.title');

  createEffect(() => {
    document.title = `${title()} · Rillcast`;
  });
  createEffect(() => {
    const found = page();
    if (!found) return;
    const address = addressOf(found, props.route);
    if (pathname() !== address) navigate(address, 'replace');
  });
  createEffect(
    on(
      page,
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
          <For each={groups()}>{(group) => <MenuGroup title={group.title} pages={group.pages} />}</For>
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

function MenuGroup(props: { title?: AdminKey; pages: Page[] }): JSX.Element {
  return (
    <div class="menu-group">
      <Show when={props.title}>{(title) => <h2>{ta(title())}</h2>}</Show>
      <ul>
        <For each={props.pages}>
          {(page) => (
            <li>
              <Link href={`/admin/${page.route}`}>
                <AdminIcon name={page.icon} />
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

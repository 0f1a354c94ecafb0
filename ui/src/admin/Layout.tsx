/** Inside: menu, top bar, and the page the address names. */
import {
  createEffect,
  createMemo,
  createSignal,
  type JSX,
  Match,
  on,
  onCleanup,
  onMount,
  Show,
  Switch,
} from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { api } from '../api.ts';
import { EmptyState } from '../design/Feedback.tsx';
import { ta } from '../i18n/admin.ts';
import { usePolling } from '../poll.ts';
import { Link, navigate, pathname } from '../router.tsx';
import type { AdminStatus } from '../wire.ts';
import { AdminMenu } from './menu/AdminMenu.tsx';
import { addressOf, pageAt } from './routes.tsx';
import { Palette, useSearchKey } from './search/Palette.tsx';
import { createSettings, SettingsContext } from './settings.tsx';
import { TopBar } from './TopBar.tsx';

const STATUS_INTERVAL_MS = 5_000;
/** From here on the menu stands beside the page; the same number is in menu.css. */
const WIDE = '(width >= 56rem)';

export function Layout(props: { route: string; version?: string }): JSX.Element {
  const settings = createSettings();
  const [status, setStatus] = createSignal<AdminStatus>();
  const [lost, setLost] = createSignal(false);
  const [menuOpen, setMenuOpen] = createSignal(false);
  const [searching, setSearching] = createSignal(false);
  let main: HTMLElement | undefined;
  let menuButton: HTMLButtonElement | undefined;

  const closeMenu = () => {
    setMenuOpen(false);
    menuButton?.focus();
  };
  const search = () => {
    setMenuOpen(false);
    setSearching(true);
  };
  const closeSearch = () => {
    setSearching(false);
    // The drawer it was opened from is closed, so the dialog could give the focus back to nobody.
    if (document.activeElement === document.body) menuButton?.focus();
  };
  useSearchKey(search);
  useWideWindow(() => setMenuOpen(false));

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
        if (main) {
          // What is under the drawer takes no focus, and the drawer is closed only after this.
          main.inert = false;
          main.focus();
        }
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
        <TopBar
          status={status()}
          menuOpen={menuOpen()}
          onMenu={() => setMenuOpen(!menuOpen())}
          menuButton={(button) => {
            menuButton = button;
          }}
        />
        <AdminMenu
          page={page()}
          version={status()?.versionNumber ?? props.version}
          open={menuOpen()}
          onClose={closeMenu}
          onSearch={search}
        />
        <main
          id="main"
          tabindex="-1"
          inert={menuOpen()}
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
        <Show when={searching()}>
          <Palette onClose={closeSearch} />
        </Show>
      </div>
    </SettingsContext.Provider>
  );
}

/** The drawer is for narrow windows; one that is turned or made wider has the menu beside the page. */
function useWideWindow(onWide: () => void): void {
  // Not where tests run.
  const query = window.matchMedia?.(WIDE);
  if (!query) return;
  const follow = () => {
    if (query.matches) onWide();
  };
  query.addEventListener('change', follow);
  onCleanup(() => query.removeEventListener('change', follow));
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

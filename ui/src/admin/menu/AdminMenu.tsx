/** The way to every page: groups that fold, the search, and on a phone a drawer. */
import './menu.css';
import { createEffect, createMemo, createUniqueId, For, type JSX, on, onMount, Show } from 'solid-js';
import { CorrectionNote } from '../../design/CorrectionNote.tsx';
import { Icon } from '../../design/Icon.tsx';
import { LanguagePicker } from '../../design/Preferences.tsx';
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { Link, pathname } from '../../router.tsx';
import { AdminIcon } from '../icons.tsx';
import { menu, type Page } from '../routes.tsx';
import { searchKeys } from '../search/Palette.tsx';
import { createMenuGroups } from './groups.ts';

export interface AdminMenuProps {
  /** The page that is shown. */
  page?: Page;
  version?: string;
  /** Only on a narrow window: elsewhere it is always there. */
  open: boolean;
  onClose: () => void;
  onSearch: () => void;
}

export function AdminMenu(props: AdminMenuProps): JSX.Element {
  const active = createMemo(() => menu().find((group) => group.pages.some((one) => one === props.page))?.title);
  const groups = createMenuGroups(active);
  let nav: HTMLElement | undefined;
  let search: HTMLButtonElement | undefined;

  const showCurrent = () => nav?.querySelector('[aria-current]')?.scrollIntoView?.({ block: 'nearest' });
  createEffect(
    on(
      () => props.page,
      () => {
        groups.reveal(active());
      },
    ),
  );
  // Its group may have to unfold first.
  createEffect(
    on(() => {
      const group = active();
      return [props.page, group !== undefined && groups.isOpen(group)];
    }, showCurrent),
  );
  onMount(showCurrent);
  createEffect(
    on(
      () => props.open,
      (isOpen) => {
        if (!isOpen) return;
        showCurrent();
        search?.focus({ preventScroll: true });
      },
      { defer: true },
    ),
  );

  return (
    <>
      <Show when={props.open}>
        {/* For fingers and mice; keyboards have Escape and the button. */}
        <div class="menu-backdrop" aria-hidden="true" onClick={() => props.onClose()} />
      </Show>
      <nav
        id="menu"
        class="admin-menu"
        classList={{ 'is-open': props.open }}
        aria-label={ta('nav.label')}
        ref={(element) => {
          nav = element;
        }}
        onClick={(event) => {
          // Another page closes it by itself; this one is there already.
          if (props.open && (event.target as Element).closest('a')) props.onClose();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && props.open) props.onClose();
        }}
      >
        <div class="menu-head">
          <button
            type="button"
            class="menu-search"
            ref={(button) => {
              search = button;
            }}
            onClick={() => props.onSearch()}
          >
            <Icon name="search" />
            <span>{ta('find.open')}</span>
            <span class="menu-keys" aria-hidden="true">
              {searchKeys()}
            </span>
          </button>
          <button
            type="button"
            class="icon-button menu-close"
            aria-label={ta('nav.close')}
            onClick={() => props.onClose()}
          >
            <Icon name="cross" />
          </button>
        </div>
        <For each={menu()}>
          {(group) => (
            <Show when={group.title} fallback={<Pages pages={group.pages} current={props.page} />}>
              {(title) => (
                <FoldedPages
                  title={title()}
                  pages={group.pages}
                  current={props.page}
                  open={groups.isOpen(title())}
                  onToggle={() => groups.toggle(title())}
                />
              )}
            </Show>
          )}
        </For>
        <div class="menu-foot">
          <LanguagePicker />
          <CorrectionNote />
          <Show when={props.version}>{(version) => <span class="small">Rillcast {version()}</span>}</Show>
        </div>
      </nav>
    </>
  );
}

interface FoldedPagesProps {
  title: AdminKey;
  pages: Page[];
  current?: Page;
  open: boolean;
  onToggle: () => void;
}

function FoldedPages(props: FoldedPagesProps): JSX.Element {
  const id = createUniqueId();
  return (
    <div class="menu-group">
      <button
        type="button"
        class="menu-fold"
        aria-expanded={props.open}
        aria-controls={id}
        onClick={() => props.onToggle()}
      >
        {ta(props.title)}
        <AdminIcon name="fold" />
      </button>
      <Pages id={id} pages={props.pages} current={props.current} hidden={!props.open} />
    </div>
  );
}

function Pages(props: { id?: string; pages: Page[]; current?: Page; hidden?: boolean }): JSX.Element {
  const address = (page: Page) => `/admin/${page.route}`;
  /** A page below it is shown, and has no entry of its own. */
  const mark = (page: Page) => {
    if (page !== props.current) return undefined;
    return pathname() === address(page) ? 'page' : 'true';
  };
  return (
    <ul id={props.id} class="menu-pages" hidden={props.hidden}>
      <For each={props.pages}>
        {(page) => (
          <li>
            <Link href={address(page)} aria-current={mark(page)}>
              <AdminIcon name={page.icon} />
              {page.title()}
            </Link>
          </li>
        )}
      </For>
    </ul>
  );
}

/** Addresses without page loads: the history API, one signal, and links that are still links. */
import { createSignal, type JSX, onCleanup, splitProps } from 'solid-js';

const [address, setAddress] = createSignal(location.pathname);

/** "/admin/config/general/" below "/admin" is "config/general"; the start page is "". */
export function routeBelow(base: string, pathname: string): string {
  const rest = pathname.startsWith(base) ? pathname.slice(base.length) : pathname;
  return rest.replace(/^\/+|\/+$/g, '');
}

export const pathname = address;

export function navigate(to: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'replace') history.replaceState(null, '', to);
  else if (to !== location.pathname) history.pushState(null, '', to);
  setAddress(location.pathname);
}

/** Follows the back and forward buttons while the component lives. */
export function useHistory(): void {
  const follow = () => setAddress(location.pathname);
  follow();
  window.addEventListener('popstate', follow);
  onCleanup(() => window.removeEventListener('popstate', follow));
}

/** Whether the browser should handle the click itself: new tab, download, another button. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}

export function Link(props: JSX.AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }): JSX.Element {
  const [own, rest] = splitProps(props, ['href', 'children', 'aria-current']);
  return (
    <a
      {...rest}
      href={own.href}
      aria-current={own['aria-current'] ?? (address() === own.href ? 'page' : undefined)}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        navigate(own.href);
      }}
    >
      {own.children}
    </a>
  );
}

/** The secret of a link that makes somebody a moderator: out of the address, and kept while one signs in elsewhere. */

/** The server never sees what is behind it. */
export const INVITATION_FRAGMENT = '#moderator=';
const KEPT = 'rillcast.invitation';
/** Longer than the server's own. */
const MAX_CHARS = 200;

let kept: string | null = null;

/** Undefined when nobody was invited here, or the invitation was put away. */
export function invitationHere(): string | undefined {
  const { hash } = location;
  if (hash.startsWith(INVITATION_FRAGMENT)) {
    keep(hash.slice(INVITATION_FRAGMENT.length, INVITATION_FRAGMENT.length + MAX_CHARS));
    // It would stay in the browser's history, and in an address that is copied.
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return read() || undefined;
}

export function forgetInvitation(): void {
  keep(null);
}

function keep(secret: string | null): void {
  kept = secret;
  try {
    if (secret) sessionStorage.setItem(KEPT, secret);
    else sessionStorage.removeItem(KEPT);
  } catch {
    // It lasts as long as the page.
  }
}

function read(): string | null {
  try {
    return sessionStorage.getItem(KEPT) ?? kept;
  } catch {
    return kept;
  }
}

/** Goes to one field of the page that is shown, as soon as it is there. */

/** The page may still have to be fetched, and the settings after it. */
const MAX_WAIT_MS = 8_000;
/** As long as the eye needs to find it. */
const MARK_MS = 2_500;

const CONTROLS = 'input, textarea, select, button, a[href]';

const find = (field: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-key="${field}"], [data-setting="${field}"]`);

function show(target: HTMLElement): void {
  const folded = target.closest('details');
  if (folded) folded.open = true;
  target.scrollIntoView?.({ block: 'center' });
  const control = [...target.querySelectorAll<HTMLElement>(CONTROLS)].find((one) => !one.matches(':disabled'));
  control?.focus({ preventScroll: true });
  target.classList.add('is-found');
  setTimeout(() => target.classList.remove('is-found'), MARK_MS);
}

let forget: (() => void) | undefined;

export function jumpTo(field: string): void {
  // Whoever chose something else meanwhile wants to go there.
  forget?.();
  const there = find(field);
  if (there) {
    show(there);
    return;
  }
  const observer = new MutationObserver(() => {
    const target = find(field);
    if (!target) return;
    forget?.();
    show(target);
  });
  const timer = setTimeout(() => forget?.(), MAX_WAIT_MS);
  forget = () => {
    observer.disconnect();
    clearTimeout(timer);
    forget = undefined;
  };
  observer.observe(document.body, { childList: true, subtree: true });
}

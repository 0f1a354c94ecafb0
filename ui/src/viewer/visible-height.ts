/**
 * Some phones lay their keyboard over the page instead of making the page smaller. How much of it can still be seen is
 * then in `--visible-height`, so that the picture, the last lines of the chat and its field fit above the keyboard.
 */
import { onCleanup } from 'solid-js';

const PROPERTY = '--visible-height';
/** Less than this is the bar of the browser, which comes and goes while one scrolls. */
const LEAST_KEYBOARD_PX = 120;

export function followVisibleHeight(): void {
  const viewport = window.visualViewport;
  if (!viewport) return;
  const { style } = document.documentElement;
  const follow = () => {
    // A page that was made larger with two fingers is covered too, but by nothing.
    const covered = viewport.scale > 1 ? 0 : window.innerHeight - viewport.height;
    if (covered < LEAST_KEYBOARD_PX) {
      style.removeProperty(PROPERTY);
      return;
    }
    style.setProperty(PROPERTY, `${Math.round(viewport.height)}px`);
    // The browser has moved the page to where the field was before.
    document.activeElement?.closest('.chat-composer')?.scrollIntoView({ block: 'end' });
  };
  viewport.addEventListener('resize', follow);
  onCleanup(() => {
    viewport.removeEventListener('resize', follow);
    style.removeProperty(PROPERTY);
  });
}

/** The document around what a plugin shows. */
import { ASIDE, setStylesAside } from './aside.ts';

/** What the frame says of itself: how high its content is. */
export const HEIGHT_KEY = 'rillcastHeight';

const MEASURE = `new ResizeObserver(() => {
  parent.postMessage({ ${HEIGHT_KEY}: document.documentElement.getBoundingClientRect().height }, '*');
}).observe(document.documentElement);
addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href^="#"]');
  if (!link) return;
  event.preventDefault();
  document.getElementById(decodeURIComponent(link.hash.slice(1)))?.scrollIntoView();
});`;

/** The page's own: a frame made from text has the policy of the page it is in. */
export function nonceOf(page: Document): string {
  return page.getElementById('boot')?.nonce ?? '';
}

/**
 * The policy of the page refuses styles and scripts without the nonce. In the frame, which has no origin and so reaches
 * nothing of this page, those of the plugin may have it. Style attributes cannot; they become rules.
 *
 * Relative addresses lead to `home`, the plugin's own pages; links within the document would, too, and are followed by a
 * script. With `styles` it stands amid a text of ours.
 */
export function frameDocument(html: string, nonce: string, home: string, styles?: string): string {
  const page = new DOMParser().parseFromString(setStylesAside(html, nonce), 'text/html');
  for (const link of page.querySelectorAll('a[href]')) {
    if (link.getAttribute('href')?.startsWith('#')) continue;
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer');
  }
  moveStyles(page, nonce);
  page.body.append(made(page, 'script', MEASURE, nonce));
  for (const element of page.querySelectorAll('style, script')) element.setAttribute('nonce', nonce);
  const head = '<meta name="color-scheme" content="light dark"><link rel="stylesheet" href="/styles/plugin.css">';
  page.head.insertAdjacentHTML('afterbegin', head);
  const base = page.createElement('base');
  base.setAttribute('href', home);
  page.head.prepend(base);
  const sheets = [...(styles === undefined ? [] : [AMID_TEXT, styles]), AS_HIGH_AS_CONTENT];
  page.head.querySelector('link')?.after(...sheets.map((text) => made(page, 'style', text, nonce)));
  return `<!doctype html>${page.documentElement.outerHTML}`;
}

/** The room around it is that of the text; margins within count for its height. */
const AMID_TEXT = 'body { display: flow-root; padding: 0 }';
/** Rules for a whole page would let the frame grow by its own height, again and again. */
const AS_HIGH_AS_CONTENT = 'html, body { height: auto !important; min-height: 0 !important }';

function moveStyles(page: Document, nonce: string): void {
  const rules: string[] = [];
  for (const [index, element] of styled(page).entries()) {
    rules.push(`[data-style="${index}"] { ${element.getAttribute(ASIDE)} }`);
    element.setAttribute('data-style', String(index));
    element.removeAttribute(ASIDE);
  }
  if (rules.length > 0) page.body.append(made(page, 'style', rules.join('\n'), nonce));
}

/** Also those that a script of the plugin may put on its page later. */
function styled(place: ParentNode): Element[] {
  const inside = [...place.querySelectorAll('template')].flatMap((template) => styled(template.content));
  return [...place.querySelectorAll(`[${ASIDE}]`), ...inside];
}

function made(page: Document, name: 'style' | 'script', text: string, nonce: string): HTMLElement {
  const element = page.createElement(name);
  // Before it is in the page, which refuses and reports what has none.
  element.setAttribute('nonce', nonce);
  // A closing tag in a comment or a text of styles would end them.
  element.textContent = name === 'style' ? text.replaceAll('</', '<\\/') : text;
  return element;
}

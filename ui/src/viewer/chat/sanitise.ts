/**
 * The second look at HTML from the server, which has sanitised it already. Nothing of what was parsed enters the page:
 * allowed elements are made anew, with the attributes named here and nothing else, so no serialised markup is ever
 * parsed twice.
 */

/** `line`: what viewers write. `trusted`: what the operator and their integrations write. */
export type Trust = 'line' | 'trusted';

const LINE_ELEMENTS = new Set(['P', 'BR', 'A', 'STRONG', 'EM', 'CODE', 'PRE', 'IMG']);
const TRUSTED_ELEMENTS = new Set([
  ...LINE_ELEMENTS,
  ...['B', 'I', 'U', 'S', 'DEL', 'SMALL', 'SUB', 'SUP', 'MARK', 'SPAN', 'DIV', 'HR', 'BLOCKQUOTE', 'UL', 'OL', 'LI'],
  ...['H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'TABLE', 'THEAD', 'TBODY', 'TR', 'TH', 'TD'],
]);
/** Of these not even the text is kept. */
const DROPPED_WHOLE = new Set([
  ...['SCRIPT', 'STYLE', 'IFRAME', 'OBJECT', 'EMBED', 'NOSCRIPT', 'TEMPLATE', 'TEXTAREA', 'TITLE', 'SELECT', 'XMP'],
  ...['NOEMBED', 'NOFRAMES', 'PLAINTEXT', 'AUDIO', 'VIDEO', 'HEAD'],
]);
const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';

const EMOJI_SOURCE = /^\/img\/emoji\/[^.%?#\\]+\.[a-z]+$/i;
const EMOJI_CLASS = /^emoji[a-z_]*$/i;
const LINK_SCHEMES = new Set(['http:', 'https:', 'mailto:']);
/** Deeper than anybody writes; deeper markup is an attack on the browser. */
const DEEPEST = 40;

/** What a template holds belongs to a document without scripts, images or a window. It is copied piece by piece. */
export function sanitise(html: string, trust: Trust): DocumentFragment {
  const parsed = document.createElement('template');
  parsed.innerHTML = html;
  const result = document.createDocumentFragment();
  copyChildren(parsed.content, result, trust, 0);
  return result;
}

function copyChildren(from: Node, to: Node, trust: Trust, depth: number): void {
  if (depth > DEEPEST) return;
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) to.appendChild(document.createTextNode(child.nodeValue ?? ''));
    else if (child.nodeType === Node.ELEMENT_NODE) copyElement(child as Element, to, trust, depth);
  }
}

function copyElement(element: Element, to: Node, trust: Trust, depth: number): void {
  // SVG and MathML have rules of their own; nothing of them is wanted.
  if (element.namespaceURI !== HTML_NAMESPACE || DROPPED_WHOLE.has(element.tagName)) return;
  const allowed = trust === 'trusted' ? TRUSTED_ELEMENTS : LINE_ELEMENTS;
  if (!allowed.has(element.tagName)) {
    copyChildren(element, to, trust, depth + 1);
    return;
  }
  const copy = element.tagName === 'IMG' ? image(element, trust) : document.createElement(element.tagName);
  if (!copy) return;
  if (element.tagName === 'A') dressLink(element, copy);
  copyChildren(element, copy, trust, depth + 1);
  to.appendChild(copy);
}

function dressLink(from: Element, to: Element): void {
  const address = from.getAttribute('href') ?? '';
  if (!URL.canParse(address, location.origin)) return;
  if (!LINK_SCHEMES.has(new URL(address, location.origin).protocol)) return;
  to.setAttribute('href', address);
  to.setAttribute('rel', 'nofollow noreferrer noopener');
  to.setAttribute('target', '_blank');
}

function image(from: Element, trust: Trust): Element | undefined {
  const source = from.getAttribute('src') ?? '';
  const isEmoji = EMOJI_SOURCE.test(source);
  if (!isEmoji && !(trust === 'trusted' && isPicture(source))) return undefined;
  const copy = document.createElement('img');
  copy.setAttribute('src', source);
  const name = from.getAttribute('class') ?? '';
  if (EMOJI_CLASS.test(name)) copy.className = name;
  else if (isEmoji) copy.className = 'emoji';
  for (const attribute of ['alt', 'title']) {
    const text = from.getAttribute(attribute);
    if (text) copy.setAttribute(attribute, text);
  }
  return copy;
}

/** The operator's own pictures: from this server or over https. */
function isPicture(source: string): boolean {
  if (!source || !URL.canParse(source, location.origin)) return false;
  const { origin, protocol } = new URL(source, location.origin);
  return origin === location.origin || protocol === 'https:';
}

/** Only pictures, and few of them: shown larger. */
export function isEmojiOnly(content: ParentNode & Node): boolean {
  const pictures = content.querySelectorAll('img').length;
  return pictures > 0 && pictures <= 3 && !content.textContent?.trim();
}

/** Marks `@name` wherever it stands alone; true when it was there. */
export function markMention(content: ParentNode & Node, name: string): boolean {
  if (!name) return false;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])@${escapePattern(name)}(?![\\p{L}\\p{N}_-])`, 'giu');
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  let found = false;
  for (const text of texts) {
    const matches = [...text.data.matchAll(pattern)].reverse();
    for (const match of matches) {
      found = true;
      const mention = text.splitText(match.index);
      mention.splitText(match[0].length);
      const mark = document.createElement('mark');
      mark.className = 'chat-mention';
      mention.replaceWith(mark);
      mark.append(mention);
    }
  }
  return found;
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** For places that show text only, such as the voice of a screen reader; emoji are told by their names. */
export function plainText(html: string): string {
  const content = sanitise(html, 'line');
  for (const picture of content.querySelectorAll('img')) picture.replaceWith(picture.getAttribute('alt') ?? '');
  return (content.textContent ?? '').replace(/\s+/g, ' ').trim();
}

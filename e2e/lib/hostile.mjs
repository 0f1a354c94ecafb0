// Text that tries to run something, and whether it did.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchPolicy } from './browser.mjs';

const CORPUS = join(dirname(fileURLToPath(import.meta.url)), '../../crates/chat/tests/xss.txt');

/** The corpus of the chat: `\n` is a line break, `{U+202E}` the character of that number. */
export async function payloads() {
  const text = await readFile(CORPUS, 'utf8');
  return text.split('\n').filter(Boolean).map(decoded);
}

const decoded = (line) =>
  line
    .replaceAll('\\n', '\n')
    .replaceAll(/\{U\+([0-9A-F]+)\}/g, (_, digits) => String.fromCodePoint(Number.parseInt(digits, 16)));

/** As much of a text as fits into a header. */
export const headerText = (text) => text.replaceAll(/[^\x20-\x7e]/g, ' ').trim();

/**
 * Notes whatever hostile text may achieve in any page of a browser context: dialogs, calls, what the policy had to
 * stop, requests to others, new windows, and leaving the page. Returns the list.
 */
export async function watchExecution(context, server) {
  const executed = await watchPolicy(context);
  const { host } = new URL(server.http);
  await context.exposeFunction('reportExecution', (text) => executed.push(text));
  await context.addInitScript(() => {
    for (const name of ['alert', 'confirm', 'prompt', 'print', 'msgbox'])
      Object.defineProperty(window, name, { value: (text) => window.reportExecution(`${name}(${text})`) });
  });
  context.on('dialog', (dialog) => {
    executed.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.host !== host && url.protocol !== 'data:') executed.push(`a request to ${url.href.slice(0, 100)}`);
  });
  return executed;
}

/** Does to every element what sets off handlers in it, and returns what should not be there at all. */
export function provoke(page) {
  return page.evaluate(() => {
    const KINDS = [
      'mouseover',
      'mouseenter',
      'mousemove',
      'pointerover',
      'focus',
      'focusin',
      'wheel',
      'scroll',
      'load',
    ];
    const MORE = ['error', 'toggle', 'beforetoggle', 'animationstart', 'transitionend', 'dragstart', 'auxclick'];
    const SAFE = new Set(['http:', 'https:', 'mailto:']);
    const found = [];
    for (const element of document.querySelectorAll('body *')) {
      // They do not rise, so they reach handlers of the element itself and none of the page's own.
      for (const kind of [...KINDS, ...MORE]) element.dispatchEvent(new Event(kind));
      for (const { name, value } of element.attributes) {
        if (/^on/i.test(name)) found.push(`${element.tagName} ${name}=${value}`);
        const isAddress = name === 'href' || name === 'src' || name === 'action' || name === 'formaction';
        if (isAddress && URL.canParse(value, location.href) && !SAFE.has(new URL(value, location.href).protocol))
          found.push(`${element.tagName} ${name}=${value}`);
      }
    }
    const foreign =
      '#chat-container :is(script, style, iframe, object, embed, form form, svg script, base, meta, link)';
    for (const element of document.querySelectorAll(foreign)) found.push(element.outerHTML.slice(0, 200));
    return found;
  });
}

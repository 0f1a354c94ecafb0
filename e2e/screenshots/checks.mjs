// What is tried on a page that is in its state: the rules of axe, that nothing sticks out to the side, and that no word
// is cut off.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { exemptionOf } from './exemptions.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** What the law and good practice ask for. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Violations, one for each rule: `{ rule, impact, help, nodes: [{ target, summary, exempted? }] }`. Frames are pages of
 * their own, or other people's. Style sheets are not loaded anew: the policy of the pages refuses that.
 */
export async function violationsOf(page, pageName) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(
    (tags) => window.axe.run(document, { runOnly: tags, iframes: false, preload: false, resultTypes: ['violations'] }),
    TAGS,
  );
  return violations.map(({ id, impact, help, nodes }) => ({
    rule: id,
    impact,
    help,
    nodes: nodes.map((node) => {
      const target = node.target.flat().join(' ');
      const exempted = exemptionOf({ rule: id, target, page: pageName })?.reason;
      return { target, summary: node.failureSummary, html: node.html.slice(0, 300), exempted };
    }),
  }));
}

/**
 * A copy of a page without JavaScript in a context with it: axe waits for timers, which never come where there are no
 * scripts.
 */
export async function copyForAxe(page, context) {
  const plain = (await page.content()).replace(/<script[\s\S]*?<\/script>/g, '').replace(/<\/?noscript>/g, '');
  const copy = await context.newPage();
  await copy.route(page.url(), (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body: plain }));
  await copy.goto(page.url());
  return copy;
}

/** What is wider than the window, by its outermost elements; nothing when one cannot scroll sideways. */
export const sticksOut = (page) =>
  page.evaluate(() => {
    const root = document.documentElement;
    if (root.scrollWidth <= root.clientWidth) return [];
    const isOut = (element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 0 && (right > root.clientWidth + 1 || left < -1);
    };
    const found = [...document.body.querySelectorAll('*')].filter(isOut);
    const outermost = found.filter((element) => !found.includes(element.parentElement)).slice(0, 5);
    return outermost.length > 0 ? outermost.map((element) => element.outerHTML.slice(0, 160)) : ['the page itself'];
  });

/** Words on controls and headings that are cut off without a sign of it. */
export const cutWords = (page) =>
  page.evaluate(() => {
    const isCut = (element) => {
      const style = getComputedStyle(element);
      const hides = ['hidden', 'clip'].includes(style.overflowX);
      const isForReaders = element.clientWidth <= 1 || style.clipPath !== 'none';
      const isTooLong = element.scrollWidth > element.clientWidth + 1;
      return hides && isTooLong && !isForReaders && style.textOverflow !== 'ellipsis';
    };
    return [...document.querySelectorAll('button, a, label, summary, legend, h1, h2, h3, th, .tag, .badge')]
      .filter((element) => element.textContent.trim() && isCut(element))
      .map((element) => element.outerHTML.slice(0, 160));
  });

/**
 * Puts the styles in the text of a document aside before it is parsed. The policy of a page holds for whatever the page
 * parses: styles without the nonce are refused, and each refusal is reported as if somebody had attacked the page.
 *
 * Nothing relies on this for safety: a style that is missed here is refused and reported.
 */

/** Where the text of a style attribute waits. */
export const ASIDE = 'data-style-aside';

const TEXT = /[^<]+/y;
const COMMENT = /<!--(?:-?>|[\s\S]*?(?:--!?>|$))/y;
/** Declarations, and whatever else browsers take for a comment. */
const OTHER = /<(?:[!?]|\/(?![a-z]))[^>]*>?/iy;
const TAG = /<(\/?)([a-z][^\s/>]*)/iy;
const ATTRIBUTE = /([\s/]*)(=[^\s/>=]*|[^\s/>=]+)(\s*=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s>"'][^\s>]*)?)?/y;
const TAG_END = /[\s/]*>/y;
const SIGN = /</y;
/** What looks like a tag inside these is text. */
const TEXTUAL = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']);

/** The same text, with the nonce at its style sheets and its style attributes under another name. */
export function setStylesAside(html: string, nonce: string): string {
  const written: string[] = [];
  let at = 0;
  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(html);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const copy = (pattern: RegExp): RegExpExecArray | null => {
    const found = read(pattern);
    if (found) written.push(found[0]);
    return found;
  };

  while (at < html.length) {
    if (copy(TEXT) || copy(COMMENT) || copy(OTHER)) continue;
    const tag = copy(TAG);
    if (!tag) {
      copy(SIGN);
      continue;
    }
    const name = tag[1] ? '' : (tag[2] ?? '').toLowerCase();
    // The first attribute of a name counts, so nothing the plugin wrote goes before it.
    if (name === 'style') written.push(` nonce="${nonce}"`);
    while (!copy(TAG_END)) {
      const attribute = read(ATTRIBUTE);
      if (!attribute) break;
      const [, space, label = '', value = ''] = attribute;
      written.push(`${space}${label.toLowerCase() === 'style' ? ASIDE : label}${value}`);
    }
    if (TEXTUAL.has(name)) copy(new RegExp(`[\\s\\S]*?(?=</${name}[\\s/>]|$)`, 'iy'));
  }
  return written.join('');
}

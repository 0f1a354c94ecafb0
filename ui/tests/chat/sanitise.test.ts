import { describe, expect, test } from 'vitest';
import { isEmojiOnly, markMention, plainText, sanitise, type Trust } from '../../src/viewer/chat/sanitise.ts';
import { PAYLOADS } from './payloads.ts';

const clean = (html: string, trust: Trust = 'line'): string => {
  const holder = document.createElement('div');
  holder.append(sanitise(html, trust));
  return holder.innerHTML;
};

/** What may be left, written down a second time and not taken from the code under test. */
const ELEMENTS = new Set(['p', 'br', 'a', 'strong', 'em', 'code', 'pre', 'img']);
const ATTRIBUTES: Record<string, string[]> = {
  a: ['href', 'rel', 'target'],
  img: ['src', 'class', 'alt', 'title'],
};

function problemsIn(html: string): string[] {
  // Parsed again, as a browser would if somebody serialised it.
  const elements = [...new DOMParser().parseFromString(html, 'text/html').body.querySelectorAll('*')];
  return elements.flatMap((element) => {
    const name = element.localName;
    const problems = ELEMENTS.has(name) ? [] : [`<${name}>`];
    for (const { name: attribute, value } of element.attributes) {
      if (!ATTRIBUTES[name]?.includes(attribute)) problems.push(`${name} ${attribute}=${value}`);
    }
    const href = element.getAttribute('href');
    if (href && !['http:', 'https:', 'mailto:'].includes(new URL(href, 'https://here.example').protocol)) {
      problems.push(`href ${href}`);
    }
    const source = element.getAttribute('src');
    if (source && !/^\/img\/emoji\/[\w/-]+\.[a-z]+$/i.test(source)) problems.push(`src ${source}`);
    return problems;
  });
}

describe('lines of viewers', () => {
  test('the collection is large enough to mean something', () => {
    expect(new Set(PAYLOADS).size).toBeGreaterThanOrEqual(60);
  });

  test.each(PAYLOADS)('%j leaves nothing that runs, loads or moves', (payload) => {
    expect(problemsIn(clean(payload))).toEqual([]);
    expect(problemsIn(clean(`<p>before ${payload} after</p>`))).toEqual([]);
    expect(problemsIn(clean(clean(payload)))).toEqual([]);
  });

  test.each(PAYLOADS)('%j runs nothing in the operator’s texts either', (payload) => {
    const html = clean(payload, 'trusted');
    expect(html).not.toMatch(/<(script|style|iframe|object|embed|svg|math|form|template|base|meta|link)\b/i);
    const elements = [...new DOMParser().parseFromString(html, 'text/html').body.querySelectorAll('*')];
    const attributes = elements.flatMap((element) => [...element.attributes].map(({ name }) => name));
    expect(
      attributes.filter((name) => !['href', 'rel', 'target', 'src', 'class', 'alt', 'title'].includes(name)),
    ).toEqual([]);
    for (const element of elements) {
      const address = element.getAttribute('href') ?? element.getAttribute('src') ?? '/';
      expect(['http:', 'https:', 'mailto:']).toContain(new URL(address, 'https://here.example').protocol);
    }
  });

  test('an allow-list that lets too much through would be noticed', () => {
    expect(problemsIn('<p onclick="x">a</p>')).not.toEqual([]);
    expect(problemsIn('<a href="javascript:x">a</a>')).not.toEqual([]);
    expect(problemsIn('<img src="https://evil.example/x.png">')).not.toEqual([]);
  });

  test.each([
    ['<p>hello <strong>all</strong> <em>of</em> <code>you</code><br>x</p>'],
    ['<pre><code>a\n  b</code></pre>'],
    ['<p><a href="http://host" rel="nofollow noreferrer noopener" target="_blank">http://host</a></p>'],
    ['<p><img src="/img/emoji/pack/wave.png" class="emoji" alt=":wave:" title=":wave:"></p>'],
    ['<p>1 &lt; 2 &amp; 3</p>'],
    ['plain text'],
  ])('%s stays as it is', (html) => {
    expect(clean(html)).toBe(html);
  });

  test('what is not allowed is unwrapped, its text stays', () => {
    expect(clean('<h2>Big</h2><ul><li>one</li></ul><custom-x>two</custom-x>')).toBe('Bigonetwo');
    expect(clean('a<script>b</script>c')).toBe('ac');
  });

  test('every link opens elsewhere and says nothing of where it came from', () => {
    expect(clean('<a href="https://a.example" rel="opener" target="_top">x</a>')).toBe(
      '<a href="https://a.example" rel="nofollow noreferrer noopener" target="_blank">x</a>',
    );
  });

  test('a link that leads nowhere good is only text', () => {
    expect(clean('<a href="javascript:alert(1)">x</a>')).toBe('<a>x</a>');
  });

  test('markup of absurd depth does not break the page', () => {
    expect(() => clean('<strong>'.repeat(400))).not.toThrow();
  });
});

describe('the operator’s texts', () => {
  test('may have headings, lists and pictures', () => {
    const html = '<h2>Welcome</h2><ul><li>one</li></ul><img src="https://good.example/x.png" alt="x">';
    expect(clean(html, 'trusted')).toBe(html);
  });
});

describe('mentions', () => {
  const mark = (html: string, name: string) => {
    const content = sanitise(html, 'line');
    const found = markMention(content, name);
    const holder = document.createElement('div');
    holder.append(content);
    return { found, html: holder.innerHTML };
  };

  test('are marked wherever they stand alone, whatever the case', () => {
    expect(mark('<p>@ada and <em>@ADA</em>, @ada!</p>', 'ada')).toEqual({
      found: true,
      html: '<p><mark class="chat-mention">@ada</mark> and <em><mark class="chat-mention">@ADA</mark></em>, <mark class="chat-mention">@ada</mark>!</p>',
    });
  });

  test.each(['<p>@adam</p>', '<p>me@ada</p>', '<p>ada</p>', '<p>@ada-two</p>', '<p>@adaß</p>'])(
    '%s is nobody',
    (html) => {
      expect(mark(html, 'ada')).toEqual({ found: false, html });
    },
  );

  test('a name full of signs is a name and not a pattern', () => {
    expect(mark('<p>@a.*(b)[-/ hi</p>', 'a.*(b)[-/').found).toBe(true);
    expect(mark('<p>@axx</p>', 'a.*').found).toBe(false);
    expect(mark('<p>@</p>', '').found).toBe(false);
  });
});

describe('small things', () => {
  test('lines of few emoji and nothing else are shown large', () => {
    const wave = '<img src="/img/emoji/wave.png" class="emoji">';
    expect(isEmojiOnly(sanitise(`<p>${wave} ${wave}</p>`, 'line'))).toBe(true);
    expect(isEmojiOnly(sanitise(`<p>hi ${wave}</p>`, 'line'))).toBe(false);
    expect(isEmojiOnly(sanitise(`<p>${wave.repeat(4)}</p>`, 'line'))).toBe(false);
    expect(isEmojiOnly(sanitise('<p></p>', 'line'))).toBe(false);
  });

  test('read aloud, emoji have names', () => {
    expect(plainText('<p>hi <img src="/img/emoji/w.png" alt=":wave:"></p>\n<p>there</p>')).toBe('hi :wave: there');
  });
});

import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sandboxFor } from '../src/viewer/ActionDialog.tsx';
import { Actions } from '../src/viewer/Actions.tsx';
import { browserEnvironment } from '../src/viewer/chat/environment.ts';
import { Details } from '../src/viewer/Details.tsx';
import { setStylesAside } from '../src/viewer/plugins/aside.ts';
import { frameDocument } from '../src/viewer/plugins/document.ts';
import type { PluginContent, PluginTab, SiteConfig } from '../src/wire.ts';
import { dialogsOpen, speakEnglish } from './helpers.ts';

const asked = vi.fn<(path: string, init?: RequestInit) => Promise<Response>>();

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
beforeEach(() => {
  asked.mockReset().mockImplementation(async () => Response.json({ pass: '~', expiresIn: 600 }));
  vi.stubGlobal('fetch', asked);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  localStorage.clear();
});

const config: SiteConfig = {
  name: 'Brook Radio',
  summary: '',
  logo: '/logo',
  tags: [],
  version: '0.3.0',
  nsfw: false,
  hideViewerCount: false,
  extraPageContent: '<p>A shed.</p>',
  offlineMessage: '',
  socialHandles: [],
};
const scores: PluginTab = { plugin: 'games', slug: 'scores', title: 'Scores', html: '<p>Ann: 3</p>' };

const frame = () => screen.findByTitle<HTMLIFrameElement>('Scores');
const said = (from: HTMLIFrameElement, data: unknown) =>
  window.dispatchEvent(new MessageEvent('message', { data, source: from.contentWindow }));

describe('a tab of a plugin', () => {
  test('comes after our own and shows itself in a frame that never has this origin', async () => {
    render(() => <Details config={{ ...config, pluginTabs: [scores] }} />);
    expect([...document.querySelectorAll('[role=tab]')].map((tab) => tab.textContent?.trim())).toEqual([
      'About',
      'Scores',
    ]);
    expect(document.querySelector('iframe')).toBeNull();
    fireEvent.click(screen.getByText('Scores', { selector: '[role=tab]' }));
    expect((await frame()).getAttribute('sandbox')).not.toMatch(/same-origin|top-navigation/);
    expect((await frame()).getAttribute('srcdoc')).toContain('<p>Ann: 3</p>');
  });

  test('is as high as its content says, within reason, and listens to nobody else', async () => {
    render(() => <Details config={{ ...config, pluginTabs: [scores] }} />);
    fireEvent.click(screen.getByText('Scores', { selector: '[role=tab]' }));
    const shown = await frame();
    said(shown, { rillcastHeight: 321.4 });
    expect(shown.style.height).toBe('322px');
    said(shown, { rillcastHeight: 1e9 });
    expect(shown.style.height).toBe('10000px');
    said(shown, { rillcastHeight: 0 });
    expect(shown.style.height).toBe('1px');
    said(shown, { rillcastHeight: 1e9 });
    for (const odd of [null, 'x', { rillcastHeight: -1 }, { rillcastHeight: 'x' }]) said(shown, odd);
    window.dispatchEvent(new MessageEvent('message', { data: { rillcastHeight: 5 }, source: window }));
    expect(shown.style.height).toBe('10000px');
  });

  test('stays open as it is while the answers of the server say the same of it', async () => {
    const [now, setNow] = createSignal<SiteConfig>({ ...config, pluginTabs: [scores] });
    render(() => <Details config={now()} />);
    fireEvent.click(screen.getByText('Scores', { selector: '[role=tab]' }));
    const before = await frame();
    setNow({ ...config, summary: 'New words.', pluginTabs: [{ ...scores }] });
    expect(screen.getByText('New words.')).toBeTruthy();
    expect(await frame()).toBe(before);
    setNow({ ...config, pluginTabs: [{ ...scores, html: '<p>Ann: 4</p>' }] });
    expect((await frame()).getAttribute('srcdoc')).toContain('Ann: 4');
  });
});

describe('what a plugin puts before the operator’s text', () => {
  const part = (plugin: string, html: string): PluginContent => {
    return { plugin, title: plugin, html, styles: '#hi { color: red }' };
  };
  const having = (...parts: PluginContent[]): SiteConfig => ({
    ...config,
    pluginContent: parts,
    extraPageContent: parts.map(({ html }) => html).join('') + config.extraPageContent,
  });
  const framed = (plugin: string) => screen.findByTitle<HTMLIFrameElement>(plugin);
  /** The frames that are given a text meanwhile. */
  const loadedBy = (act: () => void) => {
    const set = vi.spyOn(Element.prototype, 'setAttribute');
    act();
    const loaded = set.mock.contexts.filter((_, call) => set.mock.calls[call]?.[0] === 'srcdoc');
    set.mockRestore();
    return loaded;
  };

  test('is in a frame that never has this origin, and nothing of it is in the page', async () => {
    render(() => (
      <Details config={having(part('board', '<p id="hi">Hello.</p>'), part('trap', '<form id="trap"></form>'))} />
    ));
    for (const [plugin, id] of [
      ['board', 'id="hi"'],
      ['trap', 'id="trap"'],
    ]) {
      const shown = await framed(plugin as string);
      expect(shown.getAttribute('sandbox')).not.toMatch(/same-origin|top-navigation/);
      expect(shown.getAttribute('srcdoc')).toContain('#hi { color: red }');
      expect(shown.getAttribute('srcdoc')).toContain(id);
    }
    expect(document.querySelector('#hi, #trap')).toBeNull();
    expect(document.querySelector('#custom-page-content > div')?.innerHTML).toBe('<p>A shed.</p>');
  });

  test('is never taken for the operator’s, whatever the answer says', () => {
    const other = '<i>Some words that are longer.</i><i id="hi">y</i>';
    render(() => <Details config={{ ...having(part('board', '<b>x</b>')), extraPageContent: other }} />);
    expect(document.querySelector('#hi')).toBeNull();
    expect(document.body.textContent).not.toContain('words that are longer');
  });

  test('stays as it is while the answers of the server say the same of it', async () => {
    const [now, setNow] = createSignal(having(part('one', '<p>One</p>'), part('two', '<p>Two</p>')));
    render(() => <Details config={now()} />);
    const [one, two] = [await framed('one'), await framed('two')];
    const loaded = loadedBy(() => setNow(having(part('one', '<p>One</p>'), part('two', '<p>Three</p>'))));
    expect(loaded).toEqual([two]);
    expect(await framed('one')).toBe(one);
    expect(two.getAttribute('srcdoc')).toContain('Three');
  });

  test('stays as it is while other plugins come and go', async () => {
    const [now, setNow] = createSignal(having(part('two', '<p>Two</p>')));
    render(() => <Details config={now()} />);
    const two = await framed('two');
    setNow(having(part('one', '<p>One</p>'), part('two', '<p>Two</p>')));
    const one = await framed('one');
    expect(one.nextElementSibling).toBe(two);
    expect(loadedBy(() => setNow(having(part('two', '<p>Two</p>'))))).toEqual([]);
    expect([...document.querySelectorAll('iframe')]).toEqual([two]);
  });

  test('is enough not to say that there is nothing', async () => {
    const empty = { ...config, extraPageContent: '' };
    const { unmount } = render(() => <Details config={empty} />);
    expect(document.querySelector('#custom-page-content .muted')).toBeTruthy();
    unmount();
    render(() => <Details config={{ ...having(part('board', '<p>x</p>')), extraPageContent: '<p>x</p>' }} />);
    await framed('board');
    expect(document.querySelector('#custom-page-content .muted')).toBeNull();
  });
});

describe('the document in the frame', () => {
  const made = (html: string) =>
    new DOMParser().parseFromString(frameDocument(html, 'n0nce', '/plugins/x/~/'), 'text/html');

  test('has our style sheet, and the nonce where the policy asks for it', () => {
    const page = made('<style>p { color: red }</style><script>let a = 1;</script><p>x</p>');
    expect(page.querySelector('link')?.getAttribute('href')).toBe('/styles/plugin.css');
    for (const element of page.querySelectorAll('style, script')) expect(element.getAttribute('nonce')).toBe('n0nce');
  });

  test('turns style attributes into rules, which the policy allows', () => {
    const page = made('<p style="color: red">a</p><p>b</p><p style="margin: 0">c</p>');
    expect(page.querySelector('[style]')).toBeNull();
    expect(page.body.querySelector('style')?.textContent).toBe(
      '[data-style="0"] { color: red }\n[data-style="1"] { margin: 0 }',
    );
    expect(page.querySelectorAll('p')[2]?.getAttribute('data-style')).toBe('1');
  });

  test('keeps the styles of what a script may show later', () => {
    const page = made('<template><b style="color: red">a</b></template>');
    const later = page.querySelector('template')?.content.querySelector('b');
    expect([later?.getAttribute('style'), later?.getAttribute('data-style')]).toEqual([null, '0']);
  });

  test('has the plugin’s styles after ours and before those within, and no text of theirs ends them', () => {
    const styles = 'p { color: red } /* </style><b>out</b> */ q::before { content: "</style>" }';
    const text = frameDocument('<style>p { color: blue }</style><p>x</p>', 'n0nce', '/plugins/x/~/', styles);
    const page = new DOMParser().parseFromString(text, 'text/html');
    expect(page.querySelector('b')).toBeNull();
    const [first, own, , within] = page.querySelectorAll('style');
    expect(first?.previousElementSibling?.getAttribute('href')).toBe('/styles/plugin.css');
    expect(own?.getAttribute('nonce')).toBe('n0nce');
    expect(own?.textContent).toContain('content: "<\\/style>"');
    expect(within?.textContent).toBe('p { color: blue }');
  });

  test('leads away only in a tab of its own', () => {
    const page = made('<a href="https://a.example/">a</a><a href="#b">b</a>');
    const targets = [...page.querySelectorAll('a')].map((link) => link.getAttribute('target'));
    expect(targets).toEqual(['_blank', null]);
  });
});

describe('before it is parsed', () => {
  test.each([
    ['<p style="a: b">c</p>', '<p data-style-aside="a: b">c</p>'],
    ["<P\nclass=x STYLE = 'a>b' id=y>", "<P\nclass=x data-style-aside = 'a>b' id=y>"],
    [
      '<br style=a:b/><i/style><i title="style=1">',
      '<br data-style-aside=a:b/><i/data-style-aside><i title="style=1">',
    ],
    ['<style media=print>p { }</style>', '<style nonce="n" media=print>p { }</style>'],
    ['<STYLE>a<b style="x"></Style><b style=x>', '<STYLE nonce="n">a<b style="x"></Style><b data-style-aside=x>'],
    ['<svg><style>a{}</style><g style="b"/></svg>', '<svg><style nonce="n">a{}</style><g data-style-aside="b"/></svg>'],
  ])('styles are set aside: %s', (html, expected) => {
    expect(setStylesAside(html, 'n')).toBe(expected);
  });

  test.each([
    '<script>let a = \'<p style="b">\';</script>',
    '<textarea><p style="b"></textarea>',
    '<!-- <p style="b"> --> <!--> <!doctype html> <? <p style="x"> </ <p style="y">',
    '<p title=\'<i style="b">\' data-style="c">a style="d" < b</p>',
    '1 < 2 <3 <',
    '<p title="never ends style="b"',
    '<script>never ends <p style="b">',
    '<!-- never ends <p style="b">',
    '<p ',
    '</style><styled-thing stylesheet=a>',
    '',
  ])('all the rest is left as it is: %s', (html) => {
    expect(setStylesAside(html, 'n')).toBe(html);
  });

  test('nothing the parser would refuse is left for it', () => {
    const parse = vi.spyOn(DOMParser.prototype, 'parseFromString');
    frameDocument('<style>p { color: red }</style><p style="color: blue">a</p>', 'n0nce', '/plugins/x/~/');
    const [read] = parse.mock.calls[0] ?? [];
    expect(read).toBe('<style nonce="n0nce">p { color: red }</style><p data-style-aside="color: blue">a</p>');
  });

  test('a long row of beginnings is read to its end', () => {
    const long = 200_000;
    for (const piece of ['<', '<p ', '<!--', '<p style="', '<p a=', '<style>', '</', ' / ']) {
      const html = piece.repeat(long / piece.length);
      expect(setStylesAside(html, 'n').length).toBeGreaterThan(long / 2);
    }
  });
});

test('a page behind a plugin’s button has no origin either', () => {
  expect(sandboxFor('/plugins/scores/board')).not.toContain('allow-same-origin');
});

describe('who looks at what a plugin shows', () => {
  const base = async () => /<base href="([^"]*)">/.exec((await frame()).getAttribute('srcdoc') ?? '')?.[1];
  const open = () => {
    render(() => <Details config={{ ...config, pluginTabs: [scores] }} />);
    fireEvent.click(screen.getByText('Scores', { selector: '[role=tab]' }));
  };
  const based = (href: string) => vi.waitFor(async () => expect(await base()).toBe(href));

  test('is said by a pass in the path of its relative addresses', async () => {
    localStorage.setItem('rillcast.chat.token', 't0ken');
    asked.mockImplementation(async () => Response.json({ pass: '~a.b', expiresIn: 600 }));
    open();
    await based('/plugins/games/~a.b/');
    const [path, init] = asked.mock.calls[0] ?? [];
    expect(path).toBe('/api/plugins/games/pass?accessToken=t0ken');
    expect(init?.body).toBe('{"pass":""}');
  });

  test('stays unknown without a token and without an answer', async () => {
    asked.mockImplementation(() => Promise.reject(new TypeError('no network')));
    open();
    await based('/plugins/games/~/');
    expect(asked.mock.calls[0]?.[0]).toBe('/api/plugins/games/pass');
  });

  test('is asked again when the browser gets a token, and what has the same pass is not loaded again', async () => {
    open();
    await based('/plugins/games/~/');
    const before = (await frame()).getAttribute('srcdoc');
    browserEnvironment(async () => config).writeToken('t0ken');
    await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
    expect(asked.mock.calls[1]?.[0]).toContain('accessToken=t0ken');
    expect(asked.mock.calls[1]?.[1]?.body).toBe('{"pass":"~"}');
    expect((await frame()).getAttribute('srcdoc')).toBe(before);
    asked.mockImplementation(async () => Response.json({ pass: '~c.d', expiresIn: 600 }));
    browserEnvironment(async () => config).writeToken('another');
    await based('/plugins/games/~c.d/');
  });

  test('is in the address of an action that leads to a plugin, and in no other', async () => {
    asked.mockImplementation(async () => Response.json({ pass: '~a.b', expiresIn: 600 }));
    render(() => (
      <Actions
        actions={[
          { title: 'Vote', url: '/plugins/poll/vote?x=1#y' },
          { title: 'Shop', url: 'https://shop.example/plugins/poll/' },
        ]}
      />
    ));
    fireEvent.click(screen.getByText('Vote'));
    const vote = await screen.findByTitle<HTMLIFrameElement>('Vote');
    expect(vote.getAttribute('src')).toBe('/plugins/poll/~a.b/vote?x=1#y');
    expect(screen.getByText('Open in a new tab').getAttribute('href')).toBe('/plugins/poll/vote?x=1#y');
    expect(vote.getAttribute('sandbox')).not.toContain('same-origin');
    fireEvent.click(screen.getByText('Close'));
    fireEvent.click(screen.getByText('Shop'));
    const shop = await screen.findByTitle<HTMLIFrameElement>('Shop');
    expect(shop.getAttribute('src')).toBe('https://shop.example/plugins/poll/');
    expect(asked).toHaveBeenCalledTimes(1);
  });

  test('links within a text stay within it', () => {
    const text = frameDocument('<a href="#end">down</a><p id="end">end</p>', 'n0nce', '/plugins/x/~/');
    const page = new DOMParser().parseFromString(text, 'text/html');
    expect(page.querySelector('a')?.hasAttribute('target')).toBe(false);
    expect(page.querySelector('script:last-of-type')?.textContent).toContain('scrollIntoView');
    expect(page.head.firstElementChild?.getAttribute('href')).toBe('/plugins/x/~/');
  });
});

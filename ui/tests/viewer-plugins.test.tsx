import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sandboxFor } from '../src/viewer/ActionDialog.tsx';
import { Details } from '../src/viewer/Details.tsx';
import { tabDocument } from '../src/viewer/plugins/document.ts';
import type { PluginTab, SiteConfig } from '../src/wire.ts';
import { speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
afterEach(cleanup);

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
const scores: PluginTab = { slug: 'scores', title: 'Scores', html: '<p>Ann: 3</p>' };

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

describe('the document in the frame', () => {
  const made = (html: string) => new DOMParser().parseFromString(tabDocument(html, 'n0nce'), 'text/html');

  test('has our style sheet, and the nonce where the policy asks for it', () => {
    const page = made('<style>p { color: red }</style><script>let a = 1;</script><p>x</p>');
    expect(page.querySelector('link')?.getAttribute('href')).toBe('/styles/plugin.css');
    for (const element of page.querySelectorAll('style, script')) expect(element.getAttribute('nonce')).toBe('n0nce');
  });

  test('turns style attributes into rules, which the policy allows', () => {
    const page = made('<p style="color: red">a</p><p>b</p><p style="margin: 0">c</p>');
    expect(page.querySelector('[style]')).toBeNull();
    expect(page.querySelector('style')?.textContent).toBe(
      '[data-style="0"] { color: red }\n[data-style="1"] { margin: 0 }',
    );
    expect(page.querySelectorAll('p')[2]?.getAttribute('data-style')).toBe('1');
  });

  test('leads away only in a tab of its own', () => {
    const page = made('<a href="https://a.example/">a</a><a href="#b">b</a>');
    const targets = [...page.querySelectorAll('a')].map((link) => link.getAttribute('target'));
    expect(targets).toEqual(['_blank', null]);
  });
});

test('a page behind a plugin’s button has no origin either', () => {
  expect(sandboxFor('/plugins/scores/board')).not.toContain('allow-same-origin');
});

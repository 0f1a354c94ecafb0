import { cleanup, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Admin } from '../src/admin/Admin.tsx';
import { lazyPage } from '../src/admin/LazyPage.tsx';
import { menu, pageAt } from '../src/admin/routes.tsx';
import { ta } from '../src/i18n/admin.ts';
import { navigate } from '../src/router.tsx';
import { answerWith, deferred, dialogsOpen, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

describe('admin pages', () => {
  test.each([
    ['config/general', 'General'],
    ['config/server', 'Server'],
    ['config-video', 'Video'],
    ['config-chat', 'Chat'],
    ['config-federation', 'Social'],
    ['config-notify', 'Notifications'],
    ['federation/followers', 'Followers'],
    ['federation/actions', 'Social actions'],
    ['federation/posts', 'Posts'],
    ['chat/messages', 'Messages'],
    ['viewer-info', 'Viewers'],
    ['chat/users', 'Users'],
    ['stream-health', 'Stream health'],
    ['hardware-info', 'Hardware'],
    ['access-tokens', 'Access tokens'],
    ['webhooks', 'Webhooks'],
    ['actions', 'External actions'],
    ['external-actions', 'External actions'],
    ['stream-history', 'Past streams'],
    ['past-streams', 'Past streams'],
    ['plugins', 'Plugins'],
    ['plugins/echo-bot', 'Plugins'],
    ['logs', 'Logs'],
    ['help', 'Help'],
    ['config/more', 'General'],
  ])('%s is the page "%s"', (route, title) => {
    expect(pageAt(route)?.title()).toBe(title);
  });

  test('what has no page has none, whatever it is called', () => {
    expect(pageAt('no-such-page')).toBeUndefined();
    expect(pageAt('constructor')).toBeUndefined();
  });

  test('every page of the menu is found at its own address', () => {
    const pages = menu().flatMap((group) => group.pages);
    expect(pages.map((page) => pageAt(page.route))).toEqual(pages);
    expect(new Set(pages.map((page) => page.route)).size).toBe(pages.length);
  });

  test('the groups stand in the order people know, and no name stands twice', () => {
    expect(menu().map((group) => group.title)).toEqual([
      undefined,
      'nav.chatUsers',
      'nav.audience',
      'nav.configuration',
      'nav.utilities',
      'nav.integrations',
      undefined,
    ]);
    const names = menu().flatMap((group) => [
      ...(group.title ? [ta(group.title)] : []),
      ...group.pages.map((page) => page.title()),
    ]);
    expect(names.filter((name, position) => names.indexOf(name) !== position)).toEqual([]);
  });
});

test.each([
  ['/admin/config-video', '/admin/config/video', 'Video'],
  ['/admin/config-federation/', '/admin/config-federation', 'Social'],
  ['/admin/config/more', '/admin/config/general', 'General'],
  ['/admin', '/admin/', 'Home'],
  ['/admin/plugins/', '/admin/plugins', 'Plugins'],
])('%s leads to %s', async (visited, address, title) => {
  vi.stubGlobal('fetch', answerWith({ 'GET /api/admin/settings': { body: { settings: [] } } }).fakeFetch);
  navigate(visited, 'replace');
  render(() => <Admin boot={{ session: { authenticated: true, setupRequired: false }, version: '0.3.0' }} />);
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe(title);
  expect(location.pathname).toBe(address);
  const current = document.querySelector('nav [aria-current=page]');
  expect(current?.textContent).toBe(title);
});

describe('a page that is fetched when it is opened', () => {
  test('waits visibly and then shows itself', async () => {
    const { promise, resolve } = deferred<() => string>();
    const Page = lazyPage(() => promise);
    render(() => <Page />);
    expect(screen.getByText('Loading…')).toBeTruthy();
    resolve(() => 'the page');
    expect(await screen.findByText('the page')).toBeTruthy();
  });

  test('says what to do when it cannot be fetched', async () => {
    const Page = lazyPage(() => Promise.reject(new TypeError('failed to fetch')));
    render(() => <Page />);
    expect(await screen.findByText(/reload the page/)).toBeTruthy();
    expect(screen.getByText('Try again')).toBeTruthy();
  });
});

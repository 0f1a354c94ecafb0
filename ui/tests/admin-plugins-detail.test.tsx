import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { byRisk, meaningOf } from '../src/admin/plugins/permissions.ts';
import { ownPages, returnTime, stateOf } from '../src/admin/plugins/state.ts';
import type { PluginCalls } from '../src/admin/plugins/wire.ts';
import { microseconds } from '../src/i18n/format.admin.ts';
import { included, LIST, permission, plugin, running, showPlugins } from './admin-plugins-fakes.tsx';
import { dialogsOpen, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

const openTab = async (name: string) => fireEvent.click(await screen.findByText(name, { selector: '[role=tab]' }));

test.each([
  [{}, 'off'],
  [{ lastError: 'old trouble' }, 'off'],
  [{ lastError: 'no package', version: undefined }, 'failed'],
  [{ enabled: true }, 'starting'],
  [{ enabled: true, lastError: 'syntax error' }, 'failed'],
  [{ enabled: true, loaded: true }, 'starting'],
  [{ enabled: true, loaded: true, lastError: 'trap' }, 'crashed'],
  [{ enabled: true, loaded: true, running: true }, 'running'],
  [{ enabled: true, loaded: true, running: true, lastError: 'one call failed' }, 'running'],
  [{ enabled: true, loaded: true, autoDisabled: true, lastError: 'slow' }, 'autoDisabled'],
  [{ enabled: true, loaded: true, running: true, pendingPermissions: ['chat.send'] }, 'waiting'],
  [{ enabled: true, pendingPermissions: ['chat.send'] }, 'waiting'],
])('a plugin with %o is %s', (facts, state) => {
  expect(stateOf(plugin(facts))).toBe(state);
});

test('the time a filter comes back has its day only where that is another one', () => {
  vi.useFakeTimers({ now: new Date(2026, 0, 2, 23, 50), toFake: ['Date'] });
  expect(returnTime(new Date(2026, 0, 2, 23, 54).toISOString())).toMatch(/^11:54\sPM$/);
  expect(returnTime(new Date(2026, 0, 3, 0, 2).toISOString())).toMatch(/^Jan 3, 2026, 12:02\sAM$/);
  vi.useRealTimers();
});

describe('permissions', () => {
  test('are grouped by risk, the gravest first, and unknown ones are never called harmless', () => {
    const names = ['storage.kv', 'something.new', 'ui.modify', 'auth.gate', 'chat.send'];
    const groups = byRisk(names.map((name) => permission(name)));
    expect(groups.map((group) => [group.risk, group.permissions.map((one) => one.name)])).toEqual([
      ['high', ['ui.modify', 'auth.gate']],
      ['middle', ['something.new', 'chat.send']],
      ['low', ['storage.kv']],
    ]);
  });

  test('one this page does not know keeps the words of the server', () => {
    expect(meaningOf(permission('something.new'))).toBe('what something.new means');
    expect(meaningOf(permission('storage.kv'))).toBe('Keep small values on this server');
  });

  test('are shown with the hosts the plugin may reach', async () => {
    showPlugins([running({ allowedHosts: ['api.example'] })], {}, '/echo-bot');
    await openTab('Permissions');
    expect(screen.getByText('Medium risk')).toBeTruthy();
    expect(screen.getByText('api.example')).toBeTruthy();
  });
});

describe('the page of a plugin', () => {
  const ring = {
    ...{ name: 'ring', prefix: '!', description: 'Ring the bell', usage: '!ring <name>' },
    ...{ aliases: ['r'], modOnly: true, caseSensitive: false, cooldownMs: 5000 },
  };
  const headings = () =>
    [...document.querySelectorAll('[role=tabpanel] h2')].map((heading) => heading.textContent?.trim());
  const tabs = () => [...document.querySelectorAll('[role=tab]')].map((tab) => tab.textContent?.trim());

  test('begins with what it does, its commands and its settings, and has no numbers there', async () => {
    const config = { loud: { type: 'boolean', secret: false } };
    showPlugins(
      [running({ hasInstructions: true, commands: [ring], config })],
      {
        'GET /api/admin/plugins/echo-bot/instructions': { body: 'Say **hello**.' },
        'GET /api/admin/plugins/echo-bot/config': { body: {} },
      },
      '/echo-bot',
    );
    await screen.findByText('hello');
    expect(screen.getByText('Says it again.')).toBeTruthy();
    expect(headings()).toEqual(['Instructions', 'Chat commands', 'Settings']);
    expect(screen.getByText('!ring, !r')).toBeTruthy();
    expect(await screen.findByLabelText('loud')).toBeTruthy();
    expect(screen.queryByText('Performance')).toBeNull();
    expect(tabs()).toEqual(['Overview', 'Permissions', 'Numbers', 'Logs']);
  });

  test('leads by keyboard to the next tab and back', async () => {
    showPlugins([running()], {}, '/echo-bot');
    const first = await screen.findByText('Overview', { selector: '[role=tab]' });
    fireEvent.keyDown(first, { key: 'ArrowRight' });
    expect(document.activeElement?.textContent?.trim()).toBe('Permissions');
    expect(screen.getByText('Medium risk')).toBeTruthy();
    fireEvent.keyDown(document.activeElement as Element, { key: 'Home' });
    expect(document.activeElement).toBe(first);
  });

  test('has the numbers in a tab of their own', async () => {
    showPlugins(
      [
        running({
          memoryBytes: 8 * 1024 * 1024,
          strikes: 2,
          droppedEvents: 7,
          permissions: ['chat.filter'],
          unfilteredLines: 12,
          callStats: { total: 1234, failed: 3, fatal: 1, cpuMicros: 2_500_000, medianMicros: 320, p99Micros: 1_500 },
        }),
      ],
      {},
      '/echo-bot',
    );
    await openTab('Numbers');
    const fact = (name: string) => screen.getByText(name, { selector: 'dt' }).nextElementSibling?.textContent;
    expect(headings()).toEqual(['Performance']);
    expect(fact('Memory')).toBe('8 MB');
    expect(fact('Calls')).toBe('1,234');
    expect(fact('Crashes')).toBe('1');
    expect(fact('Missed events')).toBe('7');
    expect(fact('Filter failures in a row')).toBe('2');
    expect(fact('Messages not checked')).toBe('12');
    expect(fact('CPU time')).toBe('2.5 s');
    await vi.waitFor(() => expect(screen.getAllByRole('img', { name: /Memory/ })).toHaveLength(1));
  });

  test('says in its numbers that there are none before it is loaded', async () => {
    showPlugins([plugin()], {}, '/echo-bot');
    await openTab('Numbers');
    expect(screen.getByText('Numbers appear once it is loaded.')).toBeTruthy();
  });

  test('counts no unchecked lines of a plugin that checks none', async () => {
    showPlugins([running()], {}, '/echo-bot');
    await openTab('Numbers');
    expect(screen.queryByText('Messages not checked')).toBeNull();
  });

  test('lists what is odd about the plugin', async () => {
    showPlugins(
      [running({ remarks: ['the member "tabz" is unknown', 'line 3: `x` is not defined'] })],
      {},
      '/echo-bot',
    );
    const title = await screen.findByText('Good to know about this plugin');
    const banner = title.closest('.banner') as HTMLElement;
    expect(banner.dataset.tone).toBe('warning');
    expect([...banner.querySelectorAll('li')].map((item) => item.textContent)).toEqual([
      'the member "tabz" is unknown',
      'line 3: `x` is not defined',
    ]);
  });

  test.each([
    [1, 'One chat message passed without this plugin’s filter, which was busy or too slow.'],
    [1200, '1,200 chat messages passed without this plugin’s filter, which was busy or too slow.'],
  ])('warns first of all of %d lines that were not checked', async (unfilteredLines, words) => {
    showPlugins([running({ permissions: ['chat.filter'], unfilteredLines })], {}, '/echo-bot');
    expect((await screen.findByText(words)).closest('.banner')?.getAttribute('data-tone')).toBe('warning');
  });

  test('does not warn of lines where every one was checked', async () => {
    showPlugins([running({ permissions: ['chat.filter'] })], {}, '/echo-bot');
    await screen.findByText('Overview');
    expect(document.querySelector('.banner')).toBeNull();
  });

  test('says when a filter that was switched off comes back', async () => {
    const returnsAt = new Date(new Date().setHours(14, 3, 0, 0)).toISOString();
    showPlugins([running({ running: false, autoDisabled: true, returnsAt })], {}, '/echo-bot');
    const text = await screen.findByText(/failed or was too slow .* comes back on its own at/);
    expect(text.textContent).toMatch(/(14:03|2:03\sPM);/);
  });

  test('asks for a reload where a filter that was switched off does not come back by itself', async () => {
    showPlugins([running({ running: false, autoDisabled: true })], {}, '/echo-bot');
    expect(await screen.findByText(/Reload it to try again/)).toBeTruthy();
  });

  test('names the file of one that was added, and none of one that is included', async () => {
    showPlugins([plugin(), included({ path: 'included' })], {}, '/echo-bot');
    expect(await screen.findByText('/data/plugins/echo-bot.ocpkg')).toBeTruthy();
    cleanup();
    showPlugins([plugin(), included({ path: 'included' })], {}, '/dice');
    expect(await screen.findByText('Included')).toBeTruthy();
    expect(screen.queryByText('File')).toBeNull();
  });
});

describe('people a plugin made', () => {
  const USERS = 'GET /api/admin/plugins/echo-bot/users';
  const maker = running({ permissions: ['users.register'], permissionDetails: [permission('users.register')] });
  const user = (id: string, displayName: string, isModerator = false) => ({
    ...{ id, displayName, isModerator },
    createdAt: '2026-01-02T12:00:00Z',
  });
  const people = () =>
    [...document.querySelectorAll('.plugin-person')].map((cell) => cell.textContent?.trim().replaceAll(/\s+/g, ' '));

  test('are listed with the moderators among them', async () => {
    const users = [user('b', 'Brook', true), user('a', '<b>Ada</b>')];
    showPlugins([maker], { [USERS]: { body: { total: 2, users } } }, '/echo-bot');
    await openTab('Chatters it created');
    expect(await screen.findByText('2 chatters.')).toBeTruthy();
    expect(people()).toEqual(['Brook Moderator', '<b>Ada</b>']);
  });

  test('are only the newest where there are many', async () => {
    showPlugins(
      [maker],
      { [USERS]: { body: { total: 9000, users: [user('a', 'Ada'), user('b', 'Bo')] } } },
      '/echo-bot',
    );
    await openTab('Chatters it created');
    expect(await screen.findByText('The newest 2 of 9,000.')).toBeTruthy();
  });

  test('are nobody at first', async () => {
    showPlugins([maker], { [USERS]: { body: { total: 0, users: [] } } }, '/echo-bot');
    await openTab('Chatters it created');
    expect(await screen.findByText('Nobody yet')).toBeTruthy();
  });

  test('that cannot be loaded can be asked for again', async () => {
    const refusal = { status: 500, body: { message: 'the database is locked' } };
    const { routes } = showPlugins([maker], { [USERS]: refusal }, '/echo-bot');
    await openTab('Chatters it created');
    expect(document.querySelector('.skeleton')).not.toBeNull();
    expect(await screen.findByText('the database is locked')).toBeTruthy();
    routes[USERS] = { body: { total: 1, users: [user('a', 'Ada')] } };
    fireEvent.click(screen.getByText('Try again'));
    expect(await screen.findByText('One chatter.')).toBeTruthy();
  });

  test('have no place where the plugin may make none', async () => {
    showPlugins([running()], {}, '/echo-bot');
    await screen.findByText('Overview', { selector: '[role=tab]' });
    expect(screen.queryByText('Chatters it created')).toBeNull();
  });
});

describe('the charts', () => {
  const NOTHING = 'Nothing was measured in this period.';
  const called = (change: Partial<PluginCalls>) => running({ callStats: { ...plugin().callStats, ...change } });
  const chart = (title: string) =>
    screen.getByText(title, { selector: '.chart-title' }).closest('figure') as HTMLElement;
  const legend = (title: string) => [...chart(title).querySelectorAll('.chart-legend li')].map((li) => li.textContent);
  const isEmpty = (title: string) => within(chart(title)).queryByText(NOTHING) !== null;

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** The page after two looks at the plugin, five seconds apart. */
  const look = async (first: Partial<PluginCalls>, second: Partial<PluginCalls>, between = () => {}) => {
    const { routes } = showPlugins([called(first)], {}, '/echo-bot');
    await vi.advanceTimersByTimeAsync(0);
    fireEvent.click(screen.getByText('Numbers', { selector: '[role=tab]' }));
    between();
    routes[LIST] = { body: [called(second)] };
    await vi.advanceTimersByTimeAsync(5_000);
  };

  test('show what a plugin computes, its calls, how long they take and how many fail', async () => {
    const rates = ['CPU time per second', 'Calls per minute', 'Failures per minute'];
    await look(
      { total: 100, failed: 2, fatal: 0, cpuMicros: 1_000_000, medianMicros: 320, p99Micros: 1_500 },
      { total: 110, failed: 4, fatal: 1, cpuMicros: 1_012_500, medianMicros: 400, p99Micros: 2_000 },
      () => expect(rates.map(isEmpty)).toEqual([true, true, true]),
    );
    expect(rates.map(isEmpty)).toEqual([false, false, false]);
    expect(legend('CPU time per second')).toEqual(['CPU time 2.5 ms']);
    expect(legend('Calls per minute')).toEqual(['Calls per minute 120']);
    expect(legend('Failures per minute')).toEqual(['Failed calls 24', 'Crashes 12']);
    expect(legend('Call duration')).toEqual(['Median 400 µs', 'p99 2 ms']);
    expect(within(chart('Call duration')).getByRole('img').getAttribute('aria-label')).toBe(
      'Call duration. Median: between 320 µs and 400 µs. p99: between 1.5 ms and 2 ms.',
    );
  });

  test('take a smaller total for a new start, also when there are more calls than before', async () => {
    await look({ total: 100, cpuMicros: 5_000_000 }, { total: 150, cpuMicros: 2_000 });
    expect(isEmpty('Calls per minute')).toBe(true);
    expect(isEmpty('CPU time per second')).toBe(true);
  });

  test('have no time of a call before there was one', async () => {
    await look({}, {});
    expect(isEmpty('Call duration')).toBe(true);
    expect(legend('Calls per minute')).toEqual(['Calls per minute 0']);
  });
});

test.each([
  [0, '0 µs'],
  [320.4, '320 µs'],
  [1_500, '1.5 ms'],
  [2_000_000, '2,000 ms'],
])('%d microseconds are written as %s', (value, text) => {
  expect(microseconds(value)).toBe(text);
});

describe('pages of the plugin’s own', () => {
  const page = (path: string, title: string) => ({ path, title });

  test('begin where their pattern begins, and one place is one page', () => {
    const adminPages = [
      page('/admin', 'Set up'),
      page('/admin/*', 'More'),
      page('/a b/x/*.html', 'Odd'),
      page('/*', 'All'),
    ];
    expect(ownPages(plugin({ adminPages }))).toEqual([
      { title: 'Set up', url: '/plugins/echo-bot/admin' },
      { title: 'Odd', url: '/plugins/echo-bot/a%20b/x' },
      { title: 'All', url: '/plugins/echo-bot/' },
    ]);
  });

  test('are tabs with a frame that never has this origin, and stay through new answers', async () => {
    const adminPages = [page('/admin', 'Set up')];
    const { routes } = showPlugins([running({ adminPages })], {}, '/echo-bot');
    await openTab('Set up');
    const frame = screen.getByTitle<HTMLIFrameElement>('Set up');
    expect(frame.getAttribute('src')).toBe('/plugins/echo-bot/admin');
    expect(frame.getAttribute('sandbox')).toContain('allow-scripts');
    expect(frame.getAttribute('sandbox')).not.toMatch(/same-origin|top-navigation/);
    routes[LIST] = { body: [running({ adminPages, memoryBytes: 5, description: 'Changed.' })] };
    fireEvent(document, new Event('visibilitychange'));
    await screen.findByText('Changed.');
    expect(screen.getByTitle('Set up')).toBe(frame);
  });

  test('are not there while the plugin does not run', async () => {
    showPlugins([plugin({ adminPages: [page('/admin', 'Set up')] })], {}, '/echo-bot');
    await openTab('Set up');
    expect(document.querySelector('iframe')).toBeNull();
    expect(screen.getByText('It is available while the plugin is running.')).toBeTruthy();
  });
});

describe('logs', () => {
  const LOGS = 'GET /api/admin/plugins/echo-bot/logs';
  const line = (second: number, message: string, level: string) => ({
    time: `2026-01-02T12:00:0${second}Z`,
    message,
    level,
  });

  test('are those of this plugin, newest first, and can be narrowed', async () => {
    const lines = [line(1, 'it starts', 'info'), line(2, 'no clapper', 'warning')];
    const { sent } = showPlugins([running()], { [LOGS]: { body: lines } }, '/echo-bot');
    await openTab('Logs');
    await screen.findByText('it starts');
    const shown = () => [...document.querySelectorAll('.log-message')].map((cell) => cell.textContent);
    expect(shown()).toEqual(['no clapper', 'it starts']);
    expect(screen.getByText('Warning', { selector: '.log-level' })).toBeTruthy();
    fireEvent.click(screen.getByText('Warnings and errors'));
    expect(shown()).toEqual(['no clapper']);
    fireEvent.click(screen.getByText('Only errors'));
    expect(screen.getByText('Nothing this serious has happened. That is a good sign.')).toBeTruthy();
    expect(sent.some(({ path }) => path === '/api/admin/logs')).toBe(false);
  });

  test('say that there are none yet, and come by themselves', async () => {
    vi.useFakeTimers();
    const { routes } = showPlugins([plugin()], { [LOGS]: { body: [] } }, '/echo-bot');
    await vi.advanceTimersByTimeAsync(0);
    fireEvent.click(screen.getByText('Logs', { selector: '[role=tab]' }));
    await vi.advanceTimersByTimeAsync(0);
    expect(screen.getByText(/has logged anything about it yet/)).toBeTruthy();
    routes[LOGS] = { body: [line(3, 'ding', 'info')] };
    await vi.advanceTimersByTimeAsync(5_000);
    expect(screen.getByText('ding')).toBeTruthy();
    vi.useRealTimers();
  });

  test('that cannot be loaded can be asked for again', async () => {
    const { routes } = showPlugins([running()], { [LOGS]: { status: 500, body: {} } }, '/echo-bot');
    await openTab('Logs');
    const again = await screen.findByText('Try again');
    routes[LOGS] = { body: [line(1, 'ding', 'info')] };
    fireEvent.click(again);
    expect(await screen.findByText('ding')).toBeTruthy();
  });
});

import { cleanup, fireEvent, render, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { changesIn, draftOf } from '../src/admin/plugins/detail/draft.ts';
import { blocksOf, Markdown } from '../src/admin/plugins/detail/Markdown.tsx';
import { byRisk, meaningOf } from '../src/admin/plugins/permissions.ts';
import { ownPages, stateOf } from '../src/admin/plugins/state.ts';
import type { PluginCalls } from '../src/admin/plugins/wire.ts';
import { microseconds } from '../src/i18n/format.admin.ts';
import { LIST, permission, plugin, running, showPlugins } from './admin-plugins-fakes.tsx';
import { dialogsOpen, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

const openTab = async (name: string) => fireEvent.click(await screen.findByText(name, { selector: '[role=tab]' }));

test.each([
  [{}, 'off'],
  [{ lastError: 'old trouble' }, 'off'],
  [{ lastError: 'no package', version: undefined }, 'failed'],
  [{ enabled: true }, 'preparing'],
  [{ enabled: true, lastError: 'syntax error' }, 'failed'],
  [{ enabled: true, loaded: true }, 'preparing'],
  [{ enabled: true, loaded: true, lastError: 'trap' }, 'crashed'],
  [{ enabled: true, loaded: true, running: true }, 'running'],
  [{ enabled: true, loaded: true, running: true, lastError: 'one call failed' }, 'running'],
  [{ enabled: true, loaded: true, autoDisabled: true, lastError: 'slow' }, 'autoDisabled'],
  [{ enabled: true, loaded: true, running: true, pendingPermissions: ['chat.send'] }, 'waiting'],
  [{ enabled: true, pendingPermissions: ['chat.send'] }, 'waiting'],
])('a plugin with %o is %s', (facts, state) => {
  expect(stateOf(plugin(facts))).toBe(state);
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
    expect(screen.getByText('Others notice it')).toBeTruthy();
    expect(screen.getByText('api.example')).toBeTruthy();
  });
});

test('the overview has the numbers, the commands and what is odd', async () => {
  showPlugins(
    [
      running({
        memoryBytes: 8 * 1024 * 1024,
        strikes: 2,
        droppedEvents: 7,
        callStats: { total: 1234, failed: 3, fatal: 1, cpuMicros: 2_500_000, medianMicros: 320, p99Micros: 1_500 },
        remarks: ['the member "tabz" is unknown'],
        commands: [
          {
            ...{ name: 'ring', prefix: '!', description: 'Ring the bell', usage: '!ring <name>' },
            ...{ aliases: ['r'], modOnly: true, caseSensitive: false, cooldownMs: 5000 },
          },
        ],
      }),
    ],
    {},
    '/echo-bot',
  );
  const fact = (name: string) => screen.getByText(name, { selector: 'dt' }).nextElementSibling?.textContent;
  await screen.findByText('How it is doing');
  expect(fact('Memory')).toBe('8 MB');
  expect(fact('Calls')).toBe('1,234');
  expect(fact('Crashes')).toBe('1');
  expect(fact('Missed events')).toBe('7');
  expect(fact('Filter failures in a row')).toBe('2');
  expect(fact('Computing time')).toBe('2.5 s');
  expect(screen.getByText('!ring, !r')).toBeTruthy();
  expect(screen.getByText('the member "tabz" is unknown')).toBeTruthy();
  await vi.waitFor(() => expect(screen.getAllByRole('img', { name: /Memory/ })).toHaveLength(1));
});

describe('the charts', () => {
  const NOTHING = 'Nothing has been measured in this time.';
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
    between();
    routes[LIST] = { body: [called(second)] };
    await vi.advanceTimersByTimeAsync(5_000);
  };

  test('show what a plugin computes, its calls, how long they take and how many fail', async () => {
    const rates = ['Computing time per second', 'Calls per minute', 'Failures per minute'];
    await look(
      { total: 100, failed: 2, fatal: 0, cpuMicros: 1_000_000, medianMicros: 320, p99Micros: 1_500 },
      { total: 110, failed: 4, fatal: 1, cpuMicros: 1_012_500, medianMicros: 400, p99Micros: 2_000 },
      () => expect(rates.map(isEmpty)).toEqual([true, true, true]),
    );
    expect(rates.map(isEmpty)).toEqual([false, false, false]);
    expect(legend('Computing time per second')).toEqual(['Computing time 2.5 ms']);
    expect(legend('Calls per minute')).toEqual(['Calls per minute 120']);
    expect(legend('Failures per minute')).toEqual(['Failed calls 24', 'Crashes 12']);
    expect(legend('Time of a call')).toEqual(['Half are over within 400 µs', '99 of 100 within 2 ms']);
    expect(within(chart('Time of a call')).getByRole('img').getAttribute('aria-label')).toBe(
      'Time of a call. Half are over within: between 320 µs and 400 µs. 99 of 100 within: between 1.5 ms and 2 ms.',
    );
  });

  test('take a smaller total for a new start, also when there are more calls than before', async () => {
    await look({ total: 100, cpuMicros: 5_000_000 }, { total: 150, cpuMicros: 2_000 });
    expect(isEmpty('Calls per minute')).toBe(true);
    expect(isEmpty('Computing time per second')).toBe(true);
  });

  test('have no time of a call before there was one', async () => {
    await look({}, {});
    expect(isEmpty('Time of a call')).toBe(true);
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

describe('settings', () => {
  const config = {
    cooldown: { type: 'number', default: 2000, description: 'Pause', secret: false },
    apiToken: { type: 'string', description: 'Token', secret: true },
    loud: { type: 'boolean', default: true, secret: false },
  };
  const show = (answer: { status?: number; body: unknown } = { body: {} }) =>
    showPlugins(
      [running({ config })],
      {
        'GET /api/admin/plugins/echo-bot/config': { body: { cooldown: 500, loud: true, apiToken: 'abc' } },
        'POST /api/admin/plugins/echo-bot/config': answer,
      },
      '/echo-bot',
    );
  const submit = () => fireEvent.submit(screen.getByText('Save settings').closest('form') as HTMLFormElement);

  test('show what holds, hide secrets, and send only what differs from the defaults', async () => {
    const { posted } = show();
    await openTab('Settings');
    expect((await screen.findByLabelText<HTMLInputElement>('Pause')).value).toBe('500');
    expect(screen.getByLabelText<HTMLInputElement>('Token').type).toBe('password');
    fireEvent.input(screen.getByLabelText('Pause'), { target: { value: '2000' } });
    fireEvent.click(screen.getByLabelText('loud'));
    submit();
    expect(await screen.findByText('The settings were saved.')).toBeTruthy();
    expect(posted()[0]?.body).toEqual({ apiToken: 'abc', loud: false });
  });

  test('the reason of the server stays above the button, and the entries stay too', async () => {
    show({ status: 400, body: { message: 'cooldown must be a number' } });
    await openTab('Settings');
    fireEvent.input(await screen.findByLabelText('Token'), { target: { value: 'new' } });
    submit();
    expect(await screen.findByText('cooldown must be a number')).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>('Token').value).toBe('new');
  });

  test('what was entered survives the next answer about the plugins', async () => {
    const { routes } = show();
    await openTab('Settings');
    fireEvent.input(await screen.findByLabelText('Token'), { target: { value: 'half-typ' } });
    routes[LIST] = { body: [running({ config, description: 'Changed.' })] };
    fireEvent(document, new Event('visibilitychange'));
    await screen.findByText('Changed.');
    expect(screen.getByLabelText<HTMLInputElement>('Token').value).toBe('half-typ');
  });

  test.each([
    [{ type: 'number', secret: false }, 'x', {}, { a: 'Enter a number.' }],
    [{ type: 'number', secret: false }, '', {}, {}],
    [{ type: 'number', secret: false }, '1.5', { a: 1.5 }, {}],
    [{ type: 'string', secret: false, default: 'x' }, '', { a: '' }, {}],
    [{ type: 'string', secret: false }, '', {}, {}],
    [{ type: 'colours', secret: false }, '["red"]', { a: ['red'] }, {}],
    [{ type: 'colours', secret: false }, 'red', { a: 'red' }, {}],
  ])('%o with %s becomes %o', (field, entered, values, problems) => {
    expect(changesIn({ a: field }, { a: entered }, {})).toEqual({ values, problems });
  });

  test('what was set before can be taken back where there is no default', () => {
    const schema = { a: { type: 'boolean', secret: false } };
    expect(changesIn(schema, { a: false }, { a: true }).values).toEqual({ a: false });
    expect(changesIn(schema, draftOf(schema, {}), {}).values).toEqual({});
  });
});

test('a sign-in says what it guards, and a change is saved at once', async () => {
  const gate = running({ permissions: ['auth.gate'], permissionDetails: [permission('auth.gate')] });
  const { posted } = showPlugins(
    [gate],
    {
      'GET /api/admin/plugins/echo-bot/auth-settings': { body: { accessMode: 'website-only' } },
      'POST /api/admin/plugins/echo-bot/auth-settings': { body: {} },
    },
    '/echo-bot',
  );
  await openTab('Settings');
  expect((await screen.findByLabelText<HTMLInputElement>(/The page Whoever|^The pageWhoever/)).checked).toBe(true);
  fireEvent.click(screen.getByLabelText(/Everything/));
  expect(await screen.findByText('Saved')).toBeTruthy();
  expect(posted()[0]?.body).toEqual({ accessMode: 'website-stream-and-status' });
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
    expect(screen.getByText('It is there while the plugin runs.')).toBeTruthy();
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
    expect(screen.getByText('No line is this serious. That is a good sign.')).toBeTruthy();
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

describe('instructions', () => {
  test('are fetched when somebody looks', async () => {
    showPlugins(
      [running({ hasInstructions: true })],
      { 'GET /api/admin/plugins/echo-bot/instructions': { body: '# Read me\n\nSay **hello**.' } },
      '/echo-bot',
    );
    await openTab('Instructions');
    expect((await screen.findByText('Read me')).tagName).toBe('H3');
    expect(screen.getByText('hello').tagName).toBe('STRONG');
  });

  test('are never HTML, and their links lead only to other sites', () => {
    const text = '<img src=x onerror=alert(1)> [bad](javascript:alert(1)) [good](https://a.example/b) `<b>`';
    const { container } = render(() => <Markdown text={text} />);
    expect(container.querySelector('img, b')).toBeNull();
    expect(container.textContent).toContain('<img src=x onerror=alert(1)> [bad](javascript:alert(1))');
    const links = [...container.querySelectorAll('a')];
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['https://a.example/b']);
    expect(within(container).getByText('<b>').tagName).toBe('CODE');
  });

  test('have headings, lists, quotes, code and paragraphs', () => {
    const text =
      '## Top ##\none\ntwo\n\n- a\n  more\n- b\n1. c\n> said\n```sh\n# no heading\n```\nafter\n~~~\nopen end';
    expect(blocksOf(text)).toEqual([
      { kind: 'heading', level: 2, text: 'Top' },
      { kind: 'text', text: 'one\ntwo' },
      { kind: 'ul', items: ['a\nmore', 'b'] },
      { kind: 'ol', items: ['c'] },
      { kind: 'quote', text: 'said' },
      { kind: 'code', text: '# no heading' },
      { kind: 'text', text: 'after' },
      { kind: 'code', text: 'open end' },
    ]);
  });
});

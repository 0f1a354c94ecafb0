import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Plugin } from '../src/admin/plugins/wire.ts';
import { included, LIST, permission, plugin, running, showPlugins } from './admin-plugins-fakes.tsx';
import { dialogsOpen, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

const switchOf = (name: string) => screen.findByRole<HTMLInputElement>('switch', { name });
const answer = (name: string) => {
  const dialog = document.querySelector('dialog[open]') as HTMLElement;
  fireEvent.click(within(dialog).getByText(name, { selector: 'button' }));
  return dialog;
};
const isAsking = () => document.querySelector('dialog[open]') !== null;
const paths = (requests: { path: string }[]) => requests.map((request) => request.path);

describe('the switch of a plugin in the list', () => {
  test('asks what it will be allowed to do, as its page does, and then enables it', async () => {
    const { posted, routes } = showPlugins([plugin()], { 'POST /api/admin/plugins/echo-bot/enable': { body: {} } });
    const control = await switchOf('Echo Bot');
    expect(control.checked).toBe(false);
    fireEvent.click(control);
    expect(screen.getByText('Enable Echo Bot?')).toBeTruthy();
    expect(screen.getByText('Write in the chat as a bot, and as the server')).toBeTruthy();
    expect(posted()).toEqual([]);
    expect(control.checked, 'nothing has happened yet').toBe(false);
    routes[LIST] = { body: [running()] };
    answer('Enable');
    await vi.waitFor(() => expect(control.checked).toBe(true));
    expect(paths(posted())).toEqual(['/api/admin/plugins/echo-bot/enable']);
    expect(await screen.findByText('Echo Bot is enabled.')).toBeTruthy();
    expect(location.pathname).toBe('/admin/plugins');
  });

  test('stays off when the question is not agreed to', async () => {
    const { posted } = showPlugins([plugin()]);
    const control = await switchOf('Echo Bot');
    fireEvent.click(control);
    answer('Cancel');
    expect(isAsking()).toBe(false);
    expect(control.checked).toBe(false);
    expect(posted()).toEqual([]);
  });

  test('disables it after a question', async () => {
    const { posted, routes } = showPlugins([running()], { 'POST /api/admin/plugins/echo-bot/disable': { body: {} } });
    const control = await switchOf('Echo Bot');
    expect(control.checked).toBe(true);
    fireEvent.click(control);
    expect(screen.getByText('Disable Echo Bot?')).toBeTruthy();
    routes[LIST] = { body: [plugin()] };
    answer('Disable');
    await vi.waitFor(() => expect(control.checked).toBe(false));
    expect(paths(posted())).toEqual(['/api/admin/plugins/echo-bot/disable']);
  });

  test('keeps the reason of a refusal in the question', async () => {
    const message = 'gate-two is the sign-in already; disable it first';
    showPlugins([plugin()], { 'POST /api/admin/plugins/echo-bot/enable': { status: 400, body: { message } } });
    fireEvent.click(await switchOf('Echo Bot'));
    const dialog = answer('Enable');
    expect(await within(dialog).findByText(message)).toBeTruthy();
    expect((await switchOf('Echo Bot')).checked).toBe(false);
  });
});

describe('included plugins', () => {
  const ENABLE = 'POST /api/admin/plugins/dice/enable';
  const cardOf = (title: string) => screen.getByText(title, { selector: 'h2' }).closest('section') as HTMLElement;
  const names = (card: HTMLElement) => [...card.querySelectorAll('.plugin-name')].map((name) => name.textContent);

  test('have a list of their own and say what they are', async () => {
    showPlugins([plugin(), included()]);
    await screen.findByText('Included plugins');
    expect(names(cardOf('Included plugins'))).toEqual(['Dice']);
    expect(names(cardOf('Installed plugins'))).toEqual(['Echo Bot']);
    expect(within(cardOf('Included plugins')).getByText('Included', { selector: '.badge' })).toBeTruthy();
  });

  test('are offered where none was added', async () => {
    showPlugins([included()]);
    expect(await screen.findByText('No plugins yet')).toBeTruthy();
    expect(screen.getByText(/Enable one of the included plugins below/)).toBeTruthy();
  });

  test('have no list where there are none', async () => {
    showPlugins([plugin()]);
    await screen.findByText('Echo Bot');
    expect(screen.queryByText('Included plugins')).toBeNull();
  });

  test('are enabled by one click', async () => {
    const { posted, routes } = showPlugins([included()], { [ENABLE]: { body: {} } });
    const control = await switchOf('Dice');
    routes[LIST] = { body: [included({ enabled: true, loaded: true, running: true })] };
    fireEvent.click(control);
    expect(isAsking()).toBe(false);
    expect(control.getAttribute('aria-busy')).toBe('true');
    fireEvent.click(control);
    await vi.waitFor(() => expect(control.checked).toBe(true));
    expect(paths(posted()), 'a second click changes nothing while the first is under way').toEqual([
      '/api/admin/plugins/dice/enable',
    ]);
    expect(await screen.findByText('Dice is enabled.')).toBeTruthy();
    expect(control.getAttribute('aria-busy')).toBe('false');
  });

  test('say why they could not be enabled', async () => {
    showPlugins([included()], { [ENABLE]: { status: 400, body: { message: 'too many plugins run' } } });
    fireEvent.click(await switchOf('Dice'));
    expect(await screen.findByText('too many plugins run')).toBeTruthy();
    expect((await switchOf('Dice')).checked).toBe(false);
  });

  test('still ask first where they decide over everybody, as a sign-in does', async () => {
    const gate = included({ permissions: ['auth.gate'], permissionDetails: [permission('auth.gate')] });
    const { posted } = showPlugins([gate], { [ENABLE]: { body: {} } });
    fireEvent.click(await switchOf('Dice'));
    expect(screen.getByText('Enable Dice?')).toBeTruthy();
    expect(posted()).toEqual([]);
  });

  test('cannot be removed', async () => {
    showPlugins([included()], {}, '/dice');
    expect(await screen.findByText('Enable')).toBeTruthy();
    expect(screen.queryByText('Remove')).toBeNull();
  });

  test('come back when the one that replaces them is removed, and the question says so', async () => {
    const { routes } = showPlugins(
      [included({ included: false, replacesIncluded: true })],
      { 'POST /api/admin/plugins/dice/uninstall': { body: {} } },
      '/dice',
    );
    expect(await screen.findByText('Replaces the included one')).toBeTruthy();
    fireEvent.click(screen.getByText('Remove'));
    expect(screen.getByText(/The plugin that comes with this server takes its place again/)).toBeTruthy();
    routes[LIST] = { body: [included()] };
    answer('Remove');
    expect(await screen.findByText('Included plugins')).toBeTruthy();
  });
});

describe('a plugin in the list', () => {
  test('whose filter was switched off says when it comes back', async () => {
    const returnsAt = new Date(new Date().setHours(14, 3, 0, 0)).toISOString();
    showPlugins([running({ autoDisabled: true, running: false, returnsAt })]);
    expect(await screen.findByText(/^It comes back on its own at .*(14:03|2:03\sPM)\.$/)).toBeTruthy();
  });

  test('that is not switched off says nothing of coming back', async () => {
    showPlugins([running({ returnsAt: '2026-01-02T12:00:00Z' })]);
    await screen.findByText('Running');
    expect(screen.queryByText(/comes back/)).toBeNull();
  });

  test('has an error of bearable length', async () => {
    showPlugins([plugin({ lastError: `Traceback:\nValueError: ${'x'.repeat(5_000)}` })]);
    const error = (await screen.findByText(/^ValueError: x+…$/)) as HTMLElement;
    expect(error.textContent?.length).toBeLessThan(200);
  });
});

describe('files that are no plugins', () => {
  const BROKEN = 'GET /api/admin/broken-plugins';
  const show = (files: unknown, plugins: Plugin[] = []) => showPlugins(plugins, { [BROKEN]: { body: files } });

  test('are named above the list, with the reason', async () => {
    show([{ path: '/data/plugins/x.ocpkg', reason: 'is not a ZIP archive' }]);
    const banner = (await screen.findByText('A file cannot be used as a plugin')).closest('.banner') as HTMLElement;
    expect(banner.dataset.tone).toBe('warning');
    expect(within(banner).getByRole('listitem').textContent).toBe('/data/plugins/x.ocpkg is not a ZIP archive');
    const list = screen.getByText('Installed plugins');
    expect(banner.compareDocumentPosition(list) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  });

  test('are not mentioned where there are none', async () => {
    show([], [plugin()]);
    await screen.findByText('Echo Bot');
    expect(document.querySelector('.banner')).toBeNull();
  });

  test('do not hinder the list where the server cannot tell of them', async () => {
    showPlugins([plugin()], { [BROKEN]: { status: 500, body: {} } });
    await screen.findByText('Echo Bot');
    expect(document.querySelector('.banner')).toBeNull();
  });
});

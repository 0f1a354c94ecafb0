import { cleanup, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Home } from '../src/admin/pages/Home.tsx';
import type { Plugin } from '../src/admin/plugins/wire.ts';
import { showPage } from './admin-fakes.tsx';
import { LIST, plugin, running } from './admin-plugins-fakes.tsx';
import { speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const show = (plugins: Plugin[]) => showPage(() => <Home />, { [LIST]: { body: plugins } });
const lines = () => [...document.querySelectorAll('.stopped-plugin')].map((line) => line.textContent?.trim());

test('Home names each plugin that should run and does not, and why', async () => {
  show([
    running(),
    plugin({ slug: 'off', name: 'Off', lastError: 'old trouble' }),
    plugin({ slug: 'bad', name: 'Bad', enabled: true, lastError: 'Traceback:\nNameError: nope\n' }),
    running({ slug: 'crash', name: 'Crash', running: false, lastError: 'out of memory' }),
    plugin({ slug: 'new', name: 'New', enabled: true, pendingPermissions: ['chat.send'] }),
    running({ slug: 'updated', name: 'Updated', pendingPermissions: ['chat.send'] }),
    plugin({ slug: 'starting', name: 'Starting', enabled: true }),
  ]);
  await screen.findByText('Bad');
  expect(lines()).toEqual([
    'Bad could not be started. NameError: nope',
    'Crash crashed too often and was stopped. out of memory',
    'New waits for you to approve its new version.',
  ]);
  expect(screen.getByText('Bad').getAttribute('href')).toBe('/admin/plugins/bad');
});

test('Home says when a filter that was switched off comes back', async () => {
  const returnsAt = new Date(new Date().setHours(14, 3, 0, 0)).toISOString();
  show([running({ autoDisabled: true, lastError: 'it took longer than 50 ms', returnsAt })]);
  await screen.findByText(/was turned off/);
  expect(lines()[0]).toMatch(
    /^Echo Bot was turned off because its filter failed or was too slow\. It comes back on its own at .*(14:03|2:03\sPM)\. it took longer than 50 ms$/,
  );
});

test('Home says nothing of plugins that are well or that nobody wants to run', async () => {
  const { sent } = show([running(), plugin({ slug: 'off', name: 'Off' })]);
  await vi.waitFor(() => expect(sent.some(({ path }) => path === '/api/admin/plugins')).toBe(true));
  await screen.findByText('Set up your encoder');
  expect(lines()).toEqual([]);
});

test('Home notices by itself that a plugin stops and runs again', async () => {
  vi.useFakeTimers();
  const { routes } = show([running()]);
  await vi.advanceTimersByTimeAsync(0);
  routes[LIST] = { body: [running({ running: false, lastError: 'out of memory' })] };
  await vi.advanceTimersByTimeAsync(10_000);
  expect(lines()).toEqual(['Echo Bot crashed too often and was stopped. out of memory']);
  routes[LIST] = { body: [running()] };
  await vi.advanceTimersByTimeAsync(10_000);
  expect(lines()).toEqual([]);
});

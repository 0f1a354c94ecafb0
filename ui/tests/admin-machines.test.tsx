import { cleanup, render, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Admin } from '../src/admin/Admin.tsx';
import { isInCluster, setInCluster } from '../src/admin/cluster.ts';
import { isSilent, Machines } from '../src/admin/machines/Machines.tsx';
import type { Machine } from '../src/admin/machines/wire.ts';
import { allPages, menu, pageAt } from '../src/admin/routes.tsx';
import { showPage } from './admin-fakes.tsx';
import { speakEnglish } from './helpers.ts';

const NOON = '2026-01-02T12:00:00Z';

const machine = (name: string, more: Partial<Machine> = {}): Machine => ({
  id: `${name}-1`,
  name,
  version: '0.3.0',
  roles: ['ingest', 'web', 'worker'],
  since: '2026-01-02T11:00:00Z',
  lastSeen: NOON,
  viewers: 0,
  chatClients: 0,
  holds: [],
  ...more,
});

const show = (machines: Machine[]) => showPage(() => <Machines />, { 'GET /api/admin/nodes': { body: machines } });

beforeEach(speakEnglish);
afterEach(() => {
  cleanup();
  setInCluster(false);
});

describe('the page of the machines', () => {
  test('says what each is for, what it does for all, and how busy it is', async () => {
    show([
      machine('left', { holds: ['ingest', 'webhooks', 'later'], viewers: 7, chatClients: 5 }),
      machine('right', { roles: ['web'], lastSeen: '2026-01-02T11:59:59Z' }),
    ]);
    const table = await screen.findByRole('table', { name: 'Machines' });
    const [, left, right] = within(table).getAllByRole('row');
    const cells = (row?: HTMLElement) => [...(row?.querySelectorAll('td') ?? [])].map((cell) => cell.textContent);
    expect(cells(left).slice(0, 7)).toEqual([
      'left',
      'incoming stream, viewers and chat, and background work',
      'taking in the stream, webhooks, and later',
      '7',
      '5',
      '0.3.0',
      '1 hour',
    ]);
    expect(cells(right)[2]).toBe('–');
    expect(screen.queryByText(/Silent for/)).toBeNull();
    expect(screen.queryByText(/different versions/)).toBeNull();
  });

  test('names who has gone silent, whatever the clock of the browser says', async () => {
    show([machine('left'), machine('right', { lastSeen: '2026-01-02T11:59:00Z' })]);
    expect(await screen.findByText(/Silent for more than 30 seconds: right\./)).toBeTruthy();
    const both = [machine('left'), machine('right', { lastSeen: '2026-01-02T11:59:30Z' })];
    expect(both.map((one) => isSilent(one, both))).toEqual([false, false]);
  });

  test('says that several versions are fine for a while', async () => {
    show([machine('left'), machine('right', { version: '0.4.0' })]);
    expect(await screen.findByText(/different versions/)).toBeTruthy();
  });

  test('on a server that is alone says how to have several', async () => {
    show([]);
    expect(await screen.findByText('This server is alone')).toBeTruthy();
  });

  test('that cannot be loaded says so and can be tried again', async () => {
    showPage(() => <Machines />, { 'GET /api/admin/nodes': { status: 500, body: {} } });
    expect(await screen.findByText('Try again')).toBeTruthy();
  });
});

describe('the machines in the menu', () => {
  const isListed = () => menu().some((group) => group.pages.some(({ route }) => route === 'machines'));

  test('stand there only where the server is one of several', () => {
    expect(isListed()).toBe(false);
    expect(allPages().some(({ page }) => page.route === 'machines')).toBe(false);
    setInCluster(true);
    expect(isListed()).toBe(true);
    expect(allPages().some(({ page }) => page.route === 'machines')).toBe(true);
    expect(pageAt('machines')?.title()).toBe('Machines');
  });

  test.each([
    [undefined, false],
    [true, true],
  ])('the page knows it from the start: %s', (cluster, expected) => {
    render(() => (
      <Admin boot={{ session: { authenticated: false, setupRequired: false }, version: '0.3.0', cluster }} />
    ));
    expect(isInCluster()).toBe(expected);
  });
});

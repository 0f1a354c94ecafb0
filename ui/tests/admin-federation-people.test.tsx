import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Followers } from '../src/admin/federation/followers/Followers.tsx';
import { Servers } from '../src/admin/federation/servers/Servers.tsx';
import { serverAddress, stateOf } from '../src/admin/federation/servers/state.ts';
import type { FederatedServer, Follower } from '../src/admin/federation/wire.ts';
import { OK } from './admin-chat-fakes.ts';
import { type Routes, showPage } from './admin-fakes.tsx';
import { dialogsOpen, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

const ada: Follower = {
  link: 'https://social.example/users/ada',
  name: 'Ada',
  username: 'ada@social.example',
  image: 'https://social.example/ada.png',
  timestamp: '2026-01-01T10:00:00Z',
  disabledAt: null,
};
const ALL = 'GET /api/admin/followers?offset=0&limit=25';
const PENDING = 'GET /api/admin/followers/pending';
const BLOCKED = 'GET /api/admin/followers/blocked';
const DIRECTORIES = 'GET /api/admin/followers/directory';
const DECIDE = 'POST /api/admin/followers/approve';
const REMOVE = 'POST /api/admin/followers/remove';

const showFollowers = (routes: Routes = {}) =>
  showPage(() => <Followers />, {
    [ALL]: { body: { total: 0, results: [] } },
    [PENDING]: { body: [] },
    [BLOCKED]: { body: [] },
    [DIRECTORIES]: { body: [] },
    [DECIDE]: OK,
    [REMOVE]: OK,
    ...routes,
  });
const tab = (name: RegExp) => fireEvent.click(screen.getByRole('tab', { name }));

describe('followers', () => {
  test('are shown with their account and without their picture', async () => {
    showFollowers({ [ALL]: { body: { total: 1, results: [ada] } } });
    const row = (await screen.findByText('Ada')).closest('li') as HTMLElement;
    expect(within(row).getByText('@ada@social.example').closest('a')?.href).toBe(ada.link);
    expect(row.querySelector('img')).toBeNull();
    expect(row.querySelector('.avatar')?.textContent).toBe('A');
    expect(screen.getByText('1 to 1 of 1')).toBeTruthy();
  });

  test.each([
    ['Remove: Ada', 'Remove Ada?', 'Remove', REMOVE, { actorIRI: ada.link }],
    ['Block: Ada', 'Block Ada?', 'Block', DECIDE, { actorIRI: ada.link, approved: false }],
  ])('%s asks first', async (button, question, action, route, body) => {
    const { sent, posted, routes } = showFollowers({ [ALL]: { body: { total: 1, results: [ada] } } });
    fireEvent.click(await screen.findByLabelText(button));
    expect(posted()).toEqual([]);
    routes[ALL] = { body: { total: 0, results: [] } };
    fireEvent.click(within(screen.getByText(question).closest('dialog') as HTMLElement).getByText(action));
    expect(await screen.findByText('Nobody follows yet')).toBeTruthy();
    expect(sent.find(({ method, path }) => `${method} ${path}` === route)?.body).toEqual(body);
  });

  test('the last one of a page leads back to the page before', async () => {
    const { routes } = showFollowers({
      [ALL]: { body: { total: 26, results: Array.from({ length: 25 }, () => ada) } },
      'GET /api/admin/followers?offset=25&limit=25': { body: { total: 26, results: [{ ...ada, name: 'Last' }] } },
    });
    fireEvent.click(await screen.findByText('Next'));
    fireEvent.click(await screen.findByLabelText('Remove: Last'));
    routes[ALL] = { body: { total: 25, results: [ada] } };
    routes['GET /api/admin/followers?offset=25&limit=25'] = { body: { total: 25, results: [] } };
    fireEvent.click(within(screen.getByText('Remove Last?').closest('dialog') as HTMLElement).getByText('Remove'));
    expect(await screen.findByText('1 to 25 of 25')).toBeTruthy();
  });

  test.each([
    ['Approve', true, 'Ada is following now.'],
    ['Refuse', false, 'Ada was refused and is blocked.'],
  ])('who waits is counted, and %s answers', async (button, approved, words) => {
    const { posted, routes } = showFollowers({ [PENDING]: { body: [ada] } });
    await vi.waitFor(() => expect(screen.getByRole('tab', { name: /Waiting/ }).textContent).toContain('1'));
    tab(/Waiting/);
    routes[PENDING] = { body: [] };
    fireEvent.click(screen.getByText(button));
    expect(await screen.findByText('Nobody is waiting')).toBeTruthy();
    expect(posted()[0]?.body).toEqual({ actorIRI: ada.link, approved });
    expect(screen.getByText(words)).toBeTruthy();
  });

  test('who is blocked can be let go', async () => {
    const { posted, routes } = showFollowers({
      [BLOCKED]: { body: [{ ...ada, disabledAt: '2026-01-02T10:00:00Z' }] },
    });
    tab(/Blocked/);
    const button = await screen.findByText('Unblock');
    routes[BLOCKED] = { body: [] };
    fireEvent.click(button);
    expect(await screen.findByText('Nobody is blocked')).toBeTruthy();
    expect(posted()[0]?.body).toEqual({ actorIRI: ada.link });
  });

  test('a failure is told, and what the server says about a decision too', async () => {
    const refused = { status: 400, body: { success: false, message: 'there is no follower of this address' } };
    const { routes } = showFollowers({
      [ALL]: { status: 503, body: { success: false, message: 'busy' } },
      [PENDING]: { body: [ada] },
      [DECIDE]: refused,
    });
    expect(await screen.findByText('busy')).toBeTruthy();
    routes[ALL] = { body: { total: 1, results: [{ ...ada, name: 'Bo' }] } };
    fireEvent.click(screen.getByText('Try again'));
    expect(await screen.findByText('Bo')).toBeTruthy();
    tab(/Waiting/);
    fireEvent.click(await screen.findByText('Approve'));
    expect(await screen.findByText('there is no follower of this address')).toBeTruthy();
  });

  test('while federation is off the page says so and leads to the switch', async () => {
    const off = setting({ key: 'federation_enabled', path: 'federation/enable', kind: 'bool', value: false });
    const routes: Routes = { [ALL]: { body: { total: 0, results: [] } }, [PENDING]: { body: [] } };
    showPage(() => <Followers />, routes, [off]);
    expect((await screen.findByText('Open its settings')).getAttribute('href')).toBe('/admin/config-federation');
  });
});

const hill: FederatedServer = {
  id: 1,
  iri: 'https://hill.example',
  displayName: 'Hill TV',
  summary: '',
  logoUrl: 'https://hill.example/logo',
  isOnline: true,
  streamTitle: 'Sunset',
  followStatus: 'accepted',
  isUnsolicited: false,
  isSilent: false,
  addedAt: '2026-01-01T10:00:00Z',
  followedAt: '2026-01-01T10:00:00Z',
  lastSeenOnline: '2026-01-02T10:00:00Z',
  lastStatusUpdate: null,
  movedTo: null,
};
const dale = { ...hill, id: 2, iri: 'https://dale.example', displayName: 'Dale', isOnline: false, streamTitle: '' };
const shy = { ...dale, id: 3, iri: 'https://shy.example', displayName: '', followStatus: 'pending' as const };
const SERVERS = 'GET /api/admin/federation/servers';
const REQUESTS = 'GET /api/admin/federation/feature-requests';

const showServers = (servers: FederatedServer[], routes: Routes = {}) =>
  showPage(() => <Servers />, {
    [SERVERS]: { body: { servers } },
    [REQUESTS]: { body: { requests: [] } },
    [DIRECTORIES]: { body: [] },
    [DECIDE]: OK,
    ...routes,
  });

describe('featured servers', () => {
  test('say how they are', async () => {
    showServers([hill, dale, shy, { ...shy, id: 4, isSilent: true }, { ...shy, id: 5, followStatus: 'rejected' }]);
    const row = (await screen.findByText('Hill TV')).closest('li') as HTMLElement;
    expect(within(row).getByText('Live')).toBeTruthy();
    expect(within(row).getByText('Sunset')).toBeTruthy();
    expect(document.querySelector('.account-rows img')).toBeNull();
    for (const words of ['Offline', 'Waiting for its answer', 'No answer', 'Declined'])
      expect(screen.getByText(words)).toBeTruthy();
  });

  test('an address is completed and sent; what is none is not', async () => {
    const { posted, routes } = showServers([], { 'POST /api/admin/federation/servers': OK });
    await screen.findByText('No featured streams yet');
    const field = screen.getByLabelText('Address of a server');
    fireEvent.input(field, { target: { value: 'http://hill.example' } });
    fireEvent.submit(field.closest('form') as HTMLFormElement);
    expect(screen.getByText('Enter the address of a server, with https.')).toBeTruthy();
    expect(posted()).toEqual([]);
    routes[SERVERS] = { body: { servers: [hill] } };
    fireEvent.input(field, { target: { value: ' hill.example/ ' } });
    fireEvent.submit(field.closest('form') as HTMLFormElement);
    expect(await screen.findByText('Hill TV')).toBeTruthy();
    expect(posted()[0]?.body).toEqual({ url: 'https://hill.example' });
  });

  test('why a server cannot be featured stays beside the field', async () => {
    const message = 'this server is too old to tell others when it is live';
    showServers([], { 'POST /api/admin/federation/servers': { status: 400, body: { success: false, message } } });
    const field = await screen.findByLabelText('Address of a server');
    fireEvent.input(field, { target: { value: 'old.example' } });
    fireEvent.submit(field.closest('form') as HTMLFormElement);
    expect((await screen.findByText(message)).closest('form')).not.toBeNull();
    expect((field as HTMLInputElement).value).toBe('old.example');
  });

  test('are put in order, and the focus stays with the one that moves', async () => {
    const { posted, routes } = showServers([hill, dale, shy], {
      'POST /api/admin/federation/servers/2/reorder': OK,
    });
    const up = await screen.findByLabelText('Move up: Dale');
    expect((screen.getByLabelText('Move up: Hill TV') as HTMLButtonElement).disabled).toBe(true);
    expect(screen.queryByLabelText('Move up: shy.example')).toBeNull();
    routes[SERVERS] = { body: { servers: [dale, hill, shy] } };
    fireEvent.click(up);
    expect(await screen.findByText('Dale is now number 1 of 2.')).toBeTruthy();
    expect(posted()[0]?.body).toEqual({ direction: 'up' });
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Move down: Dale');
  });

  test('are removed after a question', async () => {
    const { sent, routes } = showServers([hill], { 'DELETE /api/admin/federation/servers/1': OK });
    fireEvent.click(await screen.findByLabelText('Remove: Hill TV'));
    routes[SERVERS] = { body: { servers: [] } };
    fireEvent.click(
      within(screen.getByText('No longer feature Hill TV?').closest('dialog') as HTMLElement).getByText('Remove'),
    );
    expect(await screen.findByText('No featured streams yet')).toBeTruthy();
    expect(sent.some(({ method }) => method === 'DELETE')).toBe(true);
  });

  test('those that told of themselves stand apart and can be featured', async () => {
    const heard = { ...dale, followStatus: 'none' as const, isUnsolicited: true };
    const { posted } = showServers([hill, heard], { 'POST /api/admin/federation/servers': OK });
    fireEvent.click(await screen.findByLabelText('Feature: Dale'));
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ url: 'https://dale.example' }));
  });

  test('directories that ask wait for a yes', async () => {
    const directory = { ...ada, name: 'Directory', link: 'https://directory.example/actor' };
    const { posted } = showServers([], { [REQUESTS]: { body: { requests: [directory] } } });
    await vi.waitFor(() => expect(screen.getByRole('tab', { name: /Requests/ }).textContent).toContain('1'));
    tab(/Requests/);
    fireEvent.click(screen.getByLabelText('Approve: Directory'));
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ actorIRI: directory.link, approved: true }));
  });
});

describe('rules', () => {
  test.each([
    ['hill.example', 'https://hill.example'],
    ['https://Hill.example/some/page?x', 'https://hill.example'],
    ['https://hill.example:8443', 'https://hill.example:8443'],
    ['http://hill.example', undefined],
    ['localhost', undefined],
    ['', undefined],
  ])('%s is the server %s', (typed, address) => {
    expect(serverAddress(typed)).toBe(address);
  });

  test('one that declined is never live', () => {
    expect(stateOf({ ...hill, followStatus: 'rejected' })).toBe('rejected');
  });
});

import { cleanup, fireEvent, render, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Users } from '../src/admin/chat/Users.tsx';
import { createSettings, SettingsContext } from '../src/admin/settings.tsx';
import { Toasts } from '../src/design/toasts.tsx';
import { chatUser, client, OK } from './admin-chat-fakes.ts';
import { answerWith, dialogsOpen, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

type Routes = Parameters<typeof answerWith>[0];

const FIRST_PAGE = '/api/admin/users?offset=0&limit=25&search=&status=all&sort=desc';
const bert = chatUser({ id: 'u2', displayName: 'Bert' });

function show(change: Routes = {}) {
  const routes: Routes = {
    'GET /api/admin/chat/clients': { body: [] },
    'GET /api/admin/chat/messages': { body: [] },
    'GET /api/admin/chat/users/disabled': { body: [] },
    'GET /api/admin/chat/users/moderators': { body: [] },
    'GET /api/admin/chat/users/ipbans': { body: [] },
    'GET /api/admin/chat/invitations': { body: [] },
    'GET /api/admin/settings': { body: { settings: [setting({ path: 'serverurl', value: 'https://live.example' })] } },
    [`GET ${FIRST_PAGE}`]: { body: { total: 0, results: [] } },
    ...change,
  };
  const { sent, fakeFetch } = answerWith(routes);
  vi.stubGlobal('fetch', fakeFetch);
  render(() => {
    const settings = createSettings();
    void settings.load();
    return (
      <SettingsContext.Provider value={settings}>
        <Users />
        <Toasts />
      </SettingsContext.Provider>
    );
  });
  const posted = () => sent.filter((request) => request.method === 'POST');
  return { sent, routes, posted };
}

const openTab = (name: string) => fireEvent.click(screen.getByRole('tab', { name }));

describe('connected people', () => {
  test('are listed with how they are connected', async () => {
    show({ 'GET /api/admin/chat/clients': { body: [client(), client({ id: 2, user: bert, transport: 'sse' })] } });
    const line = (await screen.findByText('Bert')).closest('tr') as HTMLElement;
    expect(within(line).getByText('Fallback')).toBeTruthy();
    expect(within(line).getByText('203.0.113.7')).toBeTruthy();
    expect(screen.getByRole('tab', { name: /Connected\s*2/ })).toBeTruthy();
  });

  test('an address is banned from here after a question, with a note on whose it was', async () => {
    const { posted } = show({
      'GET /api/admin/chat/clients': { body: [client()] },
      'POST /api/admin/chat/users/ipbans/create': OK,
    });
    fireEvent.click(await screen.findByLabelText('Ban this address: 203.0.113.7'));
    const question = screen.getByText('Ban 203.0.113.7?').closest('dialog') as HTMLElement;
    fireEvent.click(within(question).getByText('Ban this address'));
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ value: '203.0.113.7', notes: 'Used by Ada' }));
  });

  test('nobody there has words of its own', async () => {
    show();
    expect(await screen.findByText('Nobody is in the chat')).toBeTruthy();
  });
});

describe('everybody', () => {
  const people = Array.from({ length: 25 }, (_, index) => chatUser({ id: `u${index}`, displayName: `name-${index}` }));

  test('is paged', async () => {
    const next = '/api/admin/users?offset=25&limit=25&search=&status=all&sort=desc';
    show({
      [`GET ${FIRST_PAGE}`]: { body: { total: 26, results: people } },
      [`GET ${next}`]: { body: { total: 26, results: [bert] } },
    });
    openTab('All');
    await screen.findByText('1 to 25 of 26');
    expect(screen.getByText<HTMLButtonElement>('Previous').disabled).toBe(true);
    fireEvent.click(screen.getByText('Next'));
    await screen.findByText('Bert');
    expect(screen.getByText('26 to 26 of 26')).toBeTruthy();
    expect(screen.getByText<HTMLButtonElement>('Next').disabled).toBe(true);
  });

  test('is searched once nobody types any more, from the first page on', async () => {
    const { sent } = show({
      [`GET ${FIRST_PAGE}`]: { body: { total: 26, results: people } },
      'GET /api/admin/users?offset=0&limit=25&search=bert&status=all&sort=desc': { body: { total: 0, results: [] } },
    });
    openTab('All');
    await screen.findByText('name-0');
    for (const value of ['b', 'be', 'bert']) {
      fireEvent.input(screen.getByLabelText('Search by name'), { target: { value } });
    }
    await screen.findByText('Nobody matches');
    expect(sent.filter((request) => request.path.startsWith('/api/admin/users'))).toHaveLength(2);
  });

  test('is filtered and ordered', async () => {
    const { sent } = show();
    openTab('All');
    await screen.findByText('Nobody has been here yet');
    fireEvent.click(screen.getByText('Bots'));
    fireEvent.change(screen.getByLabelText('Order'), { target: { value: 'asc' } });
    await vi.waitFor(() => expect(sent.at(-1)?.path).toMatch(/status=bots&sort=asc$/));
  });
});

test('a ban is lifted, and why it was made and when it ends is there until then', async () => {
  const { routes, posted } = show({
    'GET /api/admin/chat/users/disabled': {
      body: [
        { ...bert, disabledAt: '2026-01-02T12:00:00Z', disabledUntil: '2099-01-02T12:00:00Z', disabledReason: 'spam' },
      ],
    },
    'POST /api/admin/chat/users/setenabled': OK,
  });
  openTab('Banned');
  const lift = await screen.findByLabelText('Lift the ban: Bert');
  expect(screen.getByText(/since .* · until .*2099.* · Reason: spam/)).toBeTruthy();
  routes['GET /api/admin/chat/users/disabled'] = { body: [] };
  fireEvent.click(lift);
  await screen.findByText('Nobody is banned');
  expect(posted()[0]?.body).toEqual({ userId: 'u2', enabled: true });
});

describe('moderators', () => {
  test('are found by name and added; bots and the banned are not offered', async () => {
    const { routes, posted } = show({
      'GET /api/admin/users?offset=0&limit=25&search=e&status=all&sort=desc': {
        body: {
          total: 3,
          results: [
            bert,
            chatUser({ id: 'u3', displayName: 'Beep', isBot: true }),
            chatUser({ id: 'u4', displayName: 'Eve', disabledAt: '2026-01-02T12:00:00Z' }),
          ],
        },
      },
      'POST /api/admin/chat/users/setmoderator': OK,
    });
    openTab('Moderators');
    await screen.findByText('No moderators yet');
    fireEvent.input(screen.getByLabelText('Add a moderator: search by name'), { target: { value: 'e' } });
    const add = await screen.findByLabelText('Make moderator: Bert');
    expect(screen.queryByText('Beep')).toBeNull();
    expect(screen.queryByText('Eve')).toBeNull();
    routes['GET /api/admin/chat/users/moderators'] = { body: [{ ...bert, scopes: ['MODERATOR'] }] };
    fireEvent.click(add);
    expect(await screen.findByLabelText('Remove as moderator: Bert')).toBeTruthy();
    expect(posted()[0]?.body).toEqual({ userId: 'u2', isModerator: true });
  });

  test('are invited by a link that is shown once and can be taken back', async () => {
    const invitation = { id: 'i1', createdAt: '2026-01-02T12:00:00Z', expiresAt: '2026-01-03T12:00:00Z' };
    const { routes, posted } = show({
      'POST /api/admin/chat/invitations/create': { body: { ...invitation, token: 'secret' } },
      'POST /api/admin/chat/invitations/revoke': OK,
    });
    openTab('Moderators');
    routes['GET /api/admin/chat/invitations'] = { body: [invitation] };
    fireEvent.click(await screen.findByRole('button', { name: 'Invite a moderator' }));
    expect(await screen.findByText('https://live.example/#moderator=secret')).toBeTruthy();
    const revoke = await screen.findByLabelText(/^Take back the invitation of/);
    routes['GET /api/admin/chat/invitations'] = { body: [] };
    fireEvent.click(revoke);
    await vi.waitFor(() => expect(screen.queryByLabelText(/^Take back the invitation of/)).toBeNull());
    expect(screen.queryByText(/#moderator=secret/)).toBeNull();
    expect(posted().map(({ path, body }) => [path.split('/').at(-1), body])).toEqual([
      ['create', {}],
      ['revoke', { id: 'i1' }],
    ]);
  });

  test('are not invited before the server has an address, because nobody could accept', async () => {
    show({ 'GET /api/admin/settings': { body: { settings: [setting({ path: 'serverurl', value: '' })] } } });
    openTab('Moderators');
    expect(await screen.findByText(/^Set the address of your server first/)).toBeTruthy();
    const button = screen.getByRole<HTMLButtonElement>('button', { name: /Invite a moderator/ });
    expect(button.disabled).toBe(true);
  });

  test('an invitation that cannot be made says why', async () => {
    show({
      'POST /api/admin/chat/invitations/create': {
        status: 409,
        body: { success: false, message: 'there are 20 open invitations: take one back first' },
      },
    });
    openTab('Moderators');
    fireEvent.click(await screen.findByRole('button', { name: 'Invite a moderator' }));
    expect(await screen.findByText(/20 open invitations/)).toBeTruthy();
  });
});

describe('banned addresses', () => {
  async function ban(address: string, routes: Routes = {}) {
    const shown = show(routes);
    openTab('IP bans');
    await screen.findByText('No banned addresses');
    fireEvent.input(screen.getByLabelText('IP address'), { target: { value: address } });
    fireEvent.input(screen.getByLabelText('Note (optional)'), { target: { value: ' loud ' } });
    fireEvent.submit(screen.getByText('Ban this address').closest('form') as HTMLFormElement);
    return shown;
  }

  test('what is no address is not sent', async () => {
    const { posted } = await ban('203.0.113');
    expect(screen.getByText(/This is not an IP address/)).toBeTruthy();
    expect(posted()).toEqual([]);
  });

  test('one is added with its note', async () => {
    const { posted } = await ban(' 2001:db8::7 ', { 'POST /api/admin/chat/users/ipbans/create': OK });
    await vi.waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('IP address').value).toBe(''));
    expect(posted()[0]?.body).toEqual({ value: '2001:db8::7', notes: 'loud' });
  });

  test('the reason of the server is shown at the field', async () => {
    await ban('203.0.113.7', {
      'POST /api/admin/chat/users/ipbans/create': { status: 400, body: { success: false, message: 'banned already' } },
    });
    expect((await screen.findByText('banned already')).getAttribute('role')).toBe('alert');
    expect(screen.getByLabelText<HTMLInputElement>('IP address').value).toBe('203.0.113.7');
  });

  test('one is removed', async () => {
    const { posted } = show({
      'GET /api/admin/chat/users/ipbans': {
        body: [{ ipAddress: '203.0.113.7', notes: 'manually added', createdAt: '2026-01-02T12:00:00Z' }],
      },
      'POST /api/admin/chat/users/ipbans/remove': OK,
    });
    openTab('IP bans');
    fireEvent.click(await screen.findByLabelText('Lift the ban on 203.0.113.7'));
    await screen.findByText('203.0.113.7 is no longer banned.');
    expect(posted()[0]?.body).toEqual({ value: '203.0.113.7' });
  });
});

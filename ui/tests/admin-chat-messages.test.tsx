import { cleanup, fireEvent, render, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Messages } from '../src/admin/chat/Messages.tsx';
import { createSettings, SettingsContext } from '../src/admin/settings.tsx';
import { Toasts } from '../src/design/toasts.tsx';
import { chatUser, client, message, OK } from './admin-chat-fakes.ts';
import { answerWith, dialogsOpen, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

type Routes = Parameters<typeof answerWith>[0];

const panic = setting({ key: 'chat_known_people_only', path: 'chat/knownpeopleonly', kind: 'bool', value: false });
const hello = message({ id: 'm2', body: '<p>hello all</p>' });
const advert = message({
  id: 'm1',
  body: '<p>buy <a href="https://bad.example/">now</a></p>',
  user: chatUser({ id: 'u2', displayName: 'Bert' }),
});

function show(change: Routes = {}) {
  const routes: Routes = {
    'GET /api/admin/settings': { body: { settings: [panic] } },
    'GET /api/admin/chat/messages': { body: [hello, advert] },
    'GET /api/admin/chat/held': { body: [] },
    'GET /api/admin/chat/log': { body: [] },
    'GET /api/admin/chat/clients': { body: [client({ user: chatUser({ id: 'u2' }) })] },
    'POST /api/admin/chat/messagevisibility': OK,
    ...change,
  };
  const { sent, fakeFetch } = answerWith(routes);
  vi.stubGlobal('fetch', fakeFetch);
  render(() => {
    const settings = createSettings();
    void settings.load();
    return (
      <SettingsContext.Provider value={settings}>
        <Messages />
        <Toasts />
      </SettingsContext.Provider>
    );
  });
  const posted = () => sent.filter((request) => request.method === 'POST');
  return { sent, routes, posted };
}

const row = async (text: RegExp) => (await screen.findByText(text)).closest('li') as HTMLElement;

describe('the list of messages', () => {
  test('shows them in the order of the server, links with their target', async () => {
    show();
    await screen.findByText('hello all');
    expect([...document.querySelectorAll('.message-row')].map((one) => one.getAttribute('data-id'))).toEqual([
      'm2',
      'm1',
    ]);
    expect((await row(/^now$/)).textContent).toContain('now (https://bad.example/)');
  });

  test('one whose author is gone is still there', async () => {
    show({ 'GET /api/admin/chat/messages': { body: [message({ id: 'm9', user: null }), advert] } });
    expect((await row(/^hello$/)).textContent).toContain('Unknown');
    fireEvent.input(screen.getByLabelText('Search by text or name'), { target: { value: 'bert' } });
    expect(screen.queryByText('hello')).toBeNull();
  });

  test('hides one at once and shows what the server says afterwards', async () => {
    const { routes, posted } = show();
    const advertRow = await row(/^now$/);
    routes['GET /api/admin/chat/messages'] = { body: [hello, { ...advert, hiddenAt: '2026-01-02T12:00:00Z' }] };
    fireEvent.click(within(advertRow).getByLabelText('Hide this message'));
    await within(advertRow).findByText('Hidden');
    expect(posted()[0]?.body).toEqual({ idArray: ['m1'], visible: false });
    expect(await screen.findByText('The message is hidden.')).toBeTruthy();
  });

  test('one that its author deleted says so and cannot be shown again', async () => {
    const gone = { hiddenAt: '2026-01-02T12:00:00Z', deletedAt: '2026-01-02T12:00:00Z' };
    show({ 'GET /api/admin/chat/messages': { body: [hello, { ...advert, ...gone }] } });
    const advertRow = await row(/^now$/);
    expect(within(advertRow).getByText('Deleted by its author')).toBeTruthy();
    expect(within(advertRow).queryByRole('button', { name: 'Show this message again' })).toBeNull();
    expect(within(advertRow).queryByRole('button', { name: 'Pin above the chat' })).toBeNull();
  });

  test('one is pinned above the chat, and taken from there', async () => {
    const { routes, posted } = show({ 'POST /api/admin/chat/pin': { body: { success: true, message: 'pinned' } } });
    const advertRow = await row(/^now$/);
    routes['GET /api/admin/chat/messages'] = { body: [hello, { ...advert, pinnedAt: '2026-01-02T12:00:00Z' }] };
    fireEvent.click(within(advertRow).getByLabelText('Pin above the chat'));
    await within(await row(/^now$/)).findByText('Pinned');
    fireEvent.click(within(await row(/^now$/)).getByLabelText('Unpin'));
    await vi.waitFor(() => expect(posted()).toHaveLength(2));
    expect(posted().map(({ body }) => body)).toEqual([
      { id: 'm1', pinned: true },
      { id: 'm1', pinned: false },
    ]);
  });

  test('several are selected and hidden together', async () => {
    const { posted } = show();
    fireEvent.click(await screen.findByLabelText('2 messages'));
    fireEvent.click(screen.getByText('Hide', { selector: 'button' }));
    await screen.findByText('2 messages are hidden.');
    expect(posted()[0]?.body).toEqual({ idArray: ['m2', 'm1'], visible: false });
    await screen.findByLabelText('2 messages');
  });

  test('a selection that the search hides is not touched', async () => {
    const { posted } = show();
    fireEvent.click(await screen.findByLabelText('Select this message of Ada'));
    fireEvent.click(screen.getByLabelText('Select this message of Bert'));
    fireEvent.input(screen.getByLabelText('Search by text or name'), { target: { value: 'bert' } });
    fireEvent.click(screen.getByText('Show again', { selector: 'button' }));
    await vi.waitFor(() => expect(posted()[0]?.body).toEqual({ idArray: ['m1'], visible: true }));
  });

  test('a refusal is told and the selection stays', async () => {
    show({
      'POST /api/admin/chat/messagevisibility': { status: 400, body: { success: false, message: 'no such message' } },
    });
    fireEvent.click(await screen.findByLabelText('2 messages'));
    fireEvent.click(screen.getByText('Hide', { selector: 'button' }));
    await screen.findByText('no such message');
    expect(screen.getByLabelText('2 selected')).toBeTruthy();
  });

  test('search and filter say when nothing is left', async () => {
    show();
    await screen.findByText('hello all');
    fireEvent.click(screen.getByText('Hidden', { selector: 'button' }));
    expect(screen.getByText('No matching messages')).toBeTruthy();
  });

  test('without any message the page says what will be here', async () => {
    show({ 'GET /api/admin/chat/messages': { body: [] } });
    expect(await screen.findByText('Nobody has written yet')).toBeTruthy();
  });

  test('a failed load can be tried again', async () => {
    const { routes } = show({ 'GET /api/admin/chat/messages': { status: 503, body: { success: false, message: '' } } });
    const retry = await screen.findByText('Try again');
    routes['GET /api/admin/chat/messages'] = { body: [hello] };
    fireEvent.click(retry);
    expect(await screen.findByText('hello all')).toBeTruthy();
  });

  test('new ones wait while somebody points at the list, and come when asked or when the pointer rests', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { routes } = show();
    await vi.waitFor(() => screen.getByText('hello all'));
    fireEvent.pointerMove(document.querySelector('.message-list') as Element);
    routes['GET /api/admin/chat/messages'] = { body: [message({ id: 'm3', body: '<p>third</p>' }), hello, advert] };
    await vi.advanceTimersByTimeAsync(3_000);
    await vi.waitFor(() => screen.getByText('1 new message'));
    expect(screen.queryByText('third')).toBeNull();
    await vi.advanceTimersByTimeAsync(1_500);
    expect(screen.getByText('third')).toBeTruthy();
    expect(screen.queryByText('1 new message')).toBeNull();
  });
});

describe('the panic switch', () => {
  test('is saved at once and says what is going on', async () => {
    const { routes, posted } = show({ 'POST /api/admin/config/chat/knownpeopleonly': OK });
    routes['GET /api/admin/settings'] = { body: { settings: [panic] } };
    const lever = await screen.findByLabelText<HTMLInputElement>('Returning chatters only');
    routes['GET /api/admin/settings'] = { body: { settings: [{ ...panic, value: true }] } };
    fireEvent.click(lever);
    await screen.findByText(/Newcomers can read but not write right now/);
    expect(posted()[0]?.body).toEqual({ value: true });
  });

  test('never claims what the server refused', async () => {
    show({ 'POST /api/admin/config/chat/knownpeopleonly': { status: 503, body: { success: false, message: 'busy' } } });
    const lever = await screen.findByLabelText<HTMLInputElement>('Returning chatters only');
    fireEvent.click(lever);
    await screen.findByText('busy');
    expect(lever.checked).toBe(false);
  });
});

describe('first messages that wait', () => {
  const held = message({ id: 'h1', body: '<p>first words</p>', user: chatUser({ id: 'u9', displayName: 'Newcomer' }) });

  test('are counted on the tab and approved', async () => {
    const { routes, posted } = show({
      'GET /api/admin/chat/held': { body: [held] },
      'POST /api/admin/chat/held': OK,
    });
    fireEvent.click(await screen.findByRole('tab', { name: /Waiting\s*1/ }));
    await screen.findByText('first words');
    routes['GET /api/admin/chat/held'] = { body: [] };
    fireEvent.click(screen.getByText('Approve'));
    await vi.waitFor(() => expect(screen.queryByText('first words')).toBeNull());
    expect(posted()[0]).toMatchObject({ path: '/api/admin/chat/held', body: { id: 'h1', approve: true } });
  });

  test('say how to turn them on while they are off', async () => {
    show();
    fireEvent.click(await screen.findByRole('tab', { name: /Waiting/ }));
    expect(await screen.findByText('First messages are shown at once')).toBeTruthy();
    expect(screen.getByText('Open the chat settings').getAttribute('href')).toBe('/admin/config-chat');
  });
});

test('the log tells who did what to whom', async () => {
  const entry = { actor: 'operator', actorName: 'operator', target: 'u2', targetName: 'Bert', detail: '600 s' };
  show({ 'GET /api/admin/chat/log': { body: [{ ...entry, at: '2026-01-02T12:00:00Z', action: 'timeout' }] } });
  fireEvent.click(await screen.findByRole('tab', { name: 'Log' }));
  const line = (await screen.findByText('timed out')).closest('tr');
  expect([...(line?.cells ?? [])].slice(1).map((cell) => cell.textContent)).toEqual([
    'Operator',
    'timed out',
    'Bert',
    '600 s',
  ]);
});

describe('more about a person', () => {
  async function open(change: Routes = {}) {
    const shown = show(change);
    fireEvent.click(await screen.findByTitle('More about Bert'));
    await screen.findByText('1 message', { selector: 'h3' });
    return shown;
  }

  test('tells former names, the connection and what they wrote', async () => {
    await open();
    expect(screen.getByText('Ada, quiet-otter')).toBeTruthy();
    expect(await screen.findByText('203.0.113.7')).toBeTruthy();
  });

  test('knows from the list of everybody what the message did not say', async () => {
    const disabled = { disabledAt: '2026-01-02T12:00:00Z', disabledUntil: '2099-01-02T12:00:00Z' };
    const banned = chatUser({ id: 'u2', displayName: 'Bert', ...disabled });
    await open({
      'GET /api/admin/users?offset=0&limit=25&search=Bert&status=all&sort=desc': {
        body: { total: 2, results: [chatUser({ id: 'u7', displayName: 'Bert' }), banned] },
      },
    });
    expect(await screen.findByText('Lift the ban')).toBeTruthy();
    expect(screen.getByText('Banned until').nextElementSibling?.textContent).toContain('2099');
  });

  test('mutes, and offers to lift it', async () => {
    const { posted } = await open({ 'POST /api/admin/chat/users/timeout': OK });
    fireEvent.click(screen.getByLabelText('Time out for 10 minutes'));
    fireEvent.click(await screen.findByText('Lift the timeout'));
    await vi.waitFor(() => expect(screen.queryByText('Lift the timeout')).toBeNull());
    expect(posted().map((request) => request.body)).toEqual([
      { userId: 'u2', seconds: 600 },
      { userId: 'u2', seconds: 0 },
    ]);
  });

  test('bans only after a question, and then offers to lift the ban', async () => {
    const { posted } = await open({ 'POST /api/admin/chat/users/setenabled': OK });
    fireEvent.click(screen.getByText('Ban', { selector: 'button' }));
    expect(posted()).toEqual([]);
    const question = screen.getByText('Ban Bert?').closest('dialog') as HTMLElement;
    fireEvent.click(within(question).getByText('Ban', { selector: 'button' }));
    await screen.findByText('Lift the ban');
    expect(posted()[0]?.body).toEqual({ userId: 'u2', enabled: false });
  });

  test('shows the reason when the server refuses a ban', async () => {
    await open({
      'POST /api/admin/chat/users/setenabled': { status: 400, body: { success: false, message: 'not this one' } },
    });
    fireEvent.click(screen.getByText('Ban', { selector: 'button' }));
    const question = screen.getByText('Ban Bert?').closest('dialog') as HTMLElement;
    fireEvent.click(within(question).getByText('Ban', { selector: 'button' }));
    expect(await within(question).findByText('not this one')).toBeTruthy();
    expect(screen.queryByText('Lift the ban')).toBeNull();
  });

  test('makes a moderator', async () => {
    const { posted } = await open({ 'POST /api/admin/chat/users/setmoderator': OK });
    fireEvent.click(screen.getByText('Make moderator'));
    await screen.findByText('Remove as moderator');
    expect(posted()[0]?.body).toEqual({ userId: 'u2', isModerator: true });
  });

  test('deletes only after a question, and closes', async () => {
    const { posted } = await open({ 'POST /api/admin/users/delete': OK });
    fireEvent.click(screen.getByText('Delete', { selector: 'button' }));
    const question = screen.getByText('Delete Bert?').closest('dialog') as HTMLElement;
    fireEvent.click(within(question).getByText('Delete', { selector: 'button' }));
    await vi.waitFor(() => expect(screen.queryByText('First seen')).toBeNull());
    expect(posted()[0]?.body).toEqual({ userId: 'u2' });
  });
});

test('makes this browser the operator in the chat, and says under which name', async () => {
  const operator = { id: 'o1', accessToken: 'secret', displayName: 'Brook' };
  show({ 'POST /api/admin/chat/operator': { body: operator } });
  fireEvent.click(await screen.findByRole('button', { name: 'Chat as operator' }));
  expect(await screen.findByText(/you are now Brook in the chat/)).toBeTruthy();
  expect(localStorage.getItem('rillcast.chat.token')).toBe('secret');
  expect(screen.getByRole('link', { name: 'Open your page' }).getAttribute('target')).toBe('_blank');
  localStorage.removeItem('rillcast.chat.token');
});

import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ChatPage, chatMode } from '../../src/viewer/ChatPage.tsx';
import type { SocketLike } from '../../src/viewer/chat/transport.ts';
import { Viewer } from '../../src/viewer/Viewer.tsx';
import type { SiteConfig, Status } from '../../src/wire.ts';
import { answerWith, dialogsOpen, speakEnglish } from '../helpers.ts';
import { chatConfig, FakeSocket, greeting, said } from './fakes.ts';

vi.mock('../../src/viewer/player/Player.tsx', () => ({ Player: () => 'a player' }));
vi.mock('../../src/viewer/player/engine.ts', async (original) => ({
  ...(await original<typeof import('../../src/viewer/player/engine.ts')>()),
  loadEngine: async () => () => ({}),
}));

const live: Status = {
  serverTime: '2026-01-02T12:00:00Z',
  lastConnectTime: '2026-01-02T11:48:00Z',
  lastDisconnectTime: null,
  versionNumber: '0.3.0',
  streamTitle: 'Evening walk',
  online: true,
  streamState: 'live',
  viewerCount: 2,
};
const justOver: Status = {
  ...live,
  online: false,
  streamState: 'offline',
  lastDisconnectTime: '2026-01-02T11:59:00Z',
};

let sockets: FakeSocket[];
const pass = (ms = 20) => vi.advanceTimersByTimeAsync(ms);

beforeEach(async () => {
  localStorage.clear();
  await speakEnglish();
  dialogsOpen();
  sockets = [];
  vi.stubGlobal('WebSocket', function open(url: string): SocketLike {
    const socket = new FakeSocket(new URL(url).searchParams);
    sockets.push(socket);
    return socket;
  });
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function answering(config: SiteConfig, status: Status) {
  const routes: Record<string, { body: unknown }> = {
    'GET /api/config': { body: config },
    'GET /api/status': { body: status },
    'POST /api/chat/register': { body: { id: 'me', accessToken: 'token-1', displayName: 'ada' } },
    'GET /api/chat?accessToken=token-1': { body: [said('before')] },
  };
  vi.stubGlobal('fetch', answerWith(routes).fakeFetch);
}

async function settle() {
  await vi.dynamicImportSettled();
  await pass();
}

async function show(change: Partial<SiteConfig> = {}, status = live) {
  const config = { ...chatConfig, ...change };
  answering(config, status);
  render(() => <Viewer boot={{ config, status }} />);
  await settle();
  sockets.at(-1)?.say(greeting);
  await pass();
}

const column = () => document.querySelector<HTMLElement>('#chat-container');
const pressC = (target: Element = document.body) => fireEvent.keyDown(target, { key: 'c' });

describe('the chat on the page', () => {
  test('connects by itself and shows what was said before', async () => {
    await show();
    expect(column()?.dataset.state).toBe('open');
    expect(document.querySelector('[data-id="before"]')).not.toBeNull();
    expect(localStorage.getItem('rillcast.chat.token')).toBe('token-1');
    expect(sockets[0]?.query.get('accessToken')).toBe('token-1');
  });

  test('the key C hides and shows it, and the choice is remembered', async () => {
    await show();
    pressC();
    expect(column()?.hidden).toBe(true);
    cleanup();
    await show();
    expect(column()?.hidden).toBe(true);
    pressC();
    expect(column()?.hidden).toBe(false);
  });

  test('one’s own menu stays as it was opened, whatever the page hears meanwhile', async () => {
    await show();
    fireEvent.click(screen.getByRole('button', { name: 'Your menu: ada' }));
    const entry = screen.getByRole('menuitem', { name: 'Change name' });
    expect(document.activeElement).toBe(entry);
    // Several looks at the state, and one more greeting, after which the page looks at the settings.
    sockets.at(-1)?.say(greeting);
    await pass(20_000);
    expect(document.activeElement).toBe(entry);
  });

  test('a C in what one writes is a letter', async () => {
    await show();
    pressC(screen.getByRole('textbox', { name: 'Send a message' }));
    expect(column()?.hidden).toBe(false);
  });

  test('what one was writing is still there after hiding', async () => {
    await show();
    fireEvent.input(screen.getByRole('textbox', { name: 'Send a message' }), { target: { value: 'half a thought' } });
    pressC();
    pressC();
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Send a message' }).value).toBe('half a thought');
  });

  test.each([{ chatDisabled: true }, { chatDisabled: undefined }])('with %j there is none', async (change) => {
    await show(change);
    expect(column()).toBeNull();
    expect(sockets).toHaveLength(0);
    expect(screen.queryByRole('button', { name: /Your menu/ })).toBeNull();
  });

  test('closes five minutes after the stream', async () => {
    await show({}, justOver);
    expect(column()?.dataset.state).toBe('open');
    vi.stubGlobal('fetch', () => new Promise(() => {}));
    await pass(4 * 60_000 + 2_000);
    expect(column()?.dataset.state).toBe('disabled');
    expect(screen.getByText('The chat is closed')).toBeTruthy();
    expect(sockets.at(-1)?.isClosedByPage).toBe(true);
  });

  test('says that it is closed to those who come later, without connecting', async () => {
    await show({}, { ...justOver, lastDisconnectTime: '2026-01-02T09:00:00Z' });
    expect(column()?.dataset.state).toBe('disabled');
    expect(screen.getByText('It opens again with the next stream.')).toBeTruthy();
    expect(sockets).toHaveLength(0);
  });
});

describe('while the column is hidden', () => {
  test('a button in the header says how much was said, and brings it back', async () => {
    await show();
    fireEvent.click(screen.getByRole('button', { name: 'Hide chat' }));
    const opener = screen.getByRole('button', { name: 'Show chat' });
    expect(document.activeElement).toBe(opener);
    sockets[0]?.say(said('one'), said('two'));
    await pass();
    expect(document.querySelector('#header .chat-unseen')?.textContent).toBe('2');
    expect(opener.getAttribute('aria-label')).toMatch(/^Show chat · 2 /);
    fireEvent.click(opener);
    expect(column()?.hidden).toBe(false);
    expect(document.activeElement).toBe(column());
    expect(screen.queryByRole('button', { name: /^Show chat/ })).toBeNull();
  });
});

describe('on a phone', () => {
  let isUpright: boolean;
  let turned: (() => void)[];
  const turn = (upright: boolean) => {
    isUpright = upright;
    for (const tell of turned) tell();
  };
  const tab = (name: RegExp) => screen.getByRole('tab', { name });
  const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Send a message' });

  beforeEach(() => {
    isUpright = true;
    turned = [];
    vi.stubGlobal('matchMedia', (query: string) => ({
      get matches() {
        return query.includes('width <') && isUpright;
      },
      addEventListener: (_name: string, listener: () => void) => turned.push(listener),
      removeEventListener: () => {},
    }));
  });

  test('the chat is the first tab, in front, and what it shows says so', async () => {
    await show();
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent?.trim())).toEqual(['Chat', 'About']);
    expect(tab(/^Chat/).getAttribute('aria-selected')).toBe('true');
    const panel = document.getElementById(tab(/^Chat/).getAttribute('aria-controls') ?? '');
    expect(panel?.getAttribute('role')).toBe('tabpanel');
    expect(column()?.hidden).toBe(false);
    expect(field()).toBeTruthy();
  });

  test('behind another tab it counts what is said', async () => {
    await show();
    fireEvent.click(tab(/^About/));
    expect(column()?.hidden).toBe(true);
    sockets[0]?.say(said('one'), said('two'));
    await pass();
    expect(tab(/^Chat/).querySelector('.tab-count')?.textContent).toBe('2');
    fireEvent.click(tab(/^Chat/));
    expect(column()?.hidden).toBe(false);
    expect(tab(/^Chat/).querySelector('.tab-count')).toBeNull();
  });

  test('the key C goes from the chat to the other tab and back', async () => {
    await show();
    pressC();
    expect(column()?.hidden).toBe(true);
    expect(tab(/^About/).getAttribute('aria-selected')).toBe('true');
    pressC();
    expect(column()?.hidden).toBe(false);
    expect(localStorage.getItem('rillcast.chat.hidden')).toBeNull();
  });

  test('turned on its side it is the same chat with the same text, and so when turned back', async () => {
    await show();
    const first = field();
    fireEvent.input(first, { target: { value: 'half a thought' } });
    turn(false);
    expect(document.querySelectorAll('#chat-container')).toHaveLength(1);
    expect(field()).toBe(first);
    expect(screen.queryByRole('tab', { name: /^Chat/ })).toBeNull();
    turn(true);
    expect(field()).toBe(first);
    expect(first.value).toBe('half a thought');
    expect(sockets).toHaveLength(1);
  });

  test('who writes while it lies on its side goes on writing when it is turned', async () => {
    await show();
    fireEvent.click(tab(/^About/));
    turn(false);
    field().focus();
    turn(true);
    expect(column()?.hidden).toBe(false);
    expect(document.activeElement).toBe(field());
  });

  test('who reads something else goes on reading', async () => {
    await show();
    fireEvent.click(tab(/^About/));
    turn(false);
    expect(column()?.hidden).toBe(false);
    turn(true);
    expect(column()?.hidden).toBe(true);
  });

  test('a closed chat is behind the other tab, and says that it is closed', async () => {
    await show({}, { ...justOver, lastDisconnectTime: '2026-01-02T09:00:00Z' });
    expect(tab(/^About/).getAttribute('aria-selected')).toBe('true');
    fireEvent.click(tab(/^Chat/));
    expect(screen.getByText('The chat is closed')).toBeTruthy();
    // There would be nothing in it.
    expect(screen.queryByRole('button', { name: /Your menu/ })).toBeNull();
  });

  test('whoever may talk has a menu in the header', async () => {
    await show();
    fireEvent.click(screen.getByRole('button', { name: /Your menu/ }));
    expect(screen.getByText('Change name').closest('[role=menuitem]')).not.toBeNull();
  });

  test('whoever hid the chat has it behind the other tab, unless the address names it', async () => {
    localStorage.setItem('rillcast.chat.hidden', 'true');
    await show();
    expect(column()?.hidden).toBe(true);
    cleanup();
    location.hash = '#chat-container';
    await show();
    expect(column()?.hidden).toBe(false);
    location.hash = '';
  });

  test('without a chat there is no tab for it', async () => {
    await show({ chatDisabled: true });
    expect(screen.queryByRole('tab', { name: /^Chat/ })).toBeNull();
  });
});

describe('the chat alone', () => {
  test.each([
    ['/embed/chat/readwrite', 'readwrite'],
    ['/embed/chat/readonly/', 'readonly'],
    ['/embed/chat', 'readonly'],
  ])('%s is for %s', (path, mode) => {
    expect(chatMode(undefined, path)).toBe(mode);
  });

  test.each([
    ['readonly', 0],
    ['readwrite', 1],
  ] as const)('%s has %i fields to write in', async (mode, fields) => {
    answering(chatConfig, live);
    render(() => <ChatPage boot={{ config: chatConfig, status: live, chat: mode }} mode={mode} />);
    await settle();
    sockets.at(-1)?.say(greeting);
    await pass();
    expect(column()?.dataset.state).toBe('open');
    expect(document.querySelector('[data-id="before"]')).not.toBeNull();
    expect(screen.queryAllByRole('textbox')).toHaveLength(fields);
    // An overlay shows nothing but the lines; the other one names the stream and leads to it.
    const heading = screen.getByRole('heading', { level: 1, name: chatConfig.name });
    expect(heading.classList.contains('visually-hidden')).toBe(mode === 'readonly');
    expect(heading.querySelector('a')?.getAttribute('href') ?? null).toBe(mode === 'readonly' ? null : '/');
  });
});

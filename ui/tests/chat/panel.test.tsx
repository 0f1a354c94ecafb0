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

describe('on a phone', () => {
  beforeEach(() => {
    vi.stubGlobal('matchMedia', (query: string) => ({
      matches: query.includes('width <'),
      addEventListener: () => {},
      removeEventListener: () => {},
    }));
  });

  test('a button says how much was said and opens it over the page', async () => {
    await show();
    expect(column()?.hidden).toBe(true);
    sockets[0]?.say(said('one'), said('two'));
    await pass();
    fireEvent.click(screen.getByRole('button', { name: /^Chat/ }));
    expect(column()?.hidden).toBe(false);
    expect(document.querySelector<HTMLElement>('main')?.inert).toBe(true);
    expect(screen.queryByText('2', { selector: '.chat-unseen' })).toBeNull();
  });

  test('the button counts', async () => {
    await show();
    sockets[0]?.say(said('one'), said('two'));
    await pass();
    expect(document.querySelector('.chat-unseen')?.textContent).toBe('2');
  });

  test('the way back closes it', async () => {
    await show();
    fireEvent.click(screen.getByRole('button', { name: /^Chat/ }));
    window.dispatchEvent(new PopStateEvent('popstate'));
    expect(column()?.hidden).toBe(true);
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

import { fireEvent, screen } from '@solidjs/testing-library';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { answerWith } from '../helpers.ts';
import { enter, pass, row, useChat } from './chat-kit.tsx';
import { brook, greeting, me, said } from './fakes.ts';

useChat();
afterEach(() => vi.unstubAllGlobals());

/** Long enough for parts of the page to be fetched. */
const SOON = { timeout: 5_000 };
const DELETE = 'POST /api/chat/messages/delete?accessToken=token-1';
const PIN = 'POST /api/chat/pin?accessToken=token-1';
const done = { body: { success: true, message: 'done' } };

const pointAt = async (id: string) => {
  fireEvent.focusIn(row(id) as HTMLElement);
  await pass();
};
const openMenu = async (id: string, name: string) => {
  await pointAt(id);
  fireEvent.click(screen.getByRole('button', { name }));
  return vi.waitFor(() => screen.getByRole('menu'), SOON);
};

describe('lines of one’s own', () => {
  test('can be deleted for a while', async () => {
    const server = answerWith({ [DELETE]: done });
    vi.stubGlobal('fetch', server.fakeFetch);
    const { environment } = await enter({ config: { chatOwnDeletionSeconds: 300 } });
    environment.socket.say(said('mine', 'oops', { user: me, timestamp: greeting.timestamp }));
    await pass();
    await openMenu('mine', 'Your message');
    fireEvent.click(screen.getByRole('menuitem', { name: 'Delete message' }));
    await vi.waitFor(() => expect(screen.getByText('Your message is deleted.')).toBeTruthy(), SOON);
    environment.socket.say({ type: 'VISIBILITY-UPDATE', ids: ['mine'], visible: false });
    await pass();
    expect(row('mine')).toBeNull();
  });

  test('have no such menu after that, and those of others never', async () => {
    const { environment } = await enter({ config: { chatOwnDeletionSeconds: 300 } });
    const { timestamp } = greeting;
    const old = new Date(Date.parse(timestamp) - 300_000).toISOString();
    environment.socket.say(said('old', 'x', { user: me, timestamp: old }), said('theirs', 'x', { timestamp }));
    await pass();
    for (const id of ['old', 'theirs']) {
      await pointAt(id);
      expect(row(id)?.querySelector('.chat-tools')).not.toBeNull();
      expect(screen.queryByRole('button', { name: 'Your message' })).toBeNull();
    }
  });
});

const pin = (id: string, change = {}) => {
  const message = { id, timestamp: greeting.timestamp, type: 'CHAT', user: brook, body: `<p>${id}</p>` };
  return { message, pinnedBy: 'ada', pinnedAt: greeting.timestamp, ...change };
};
const pinned = () => document.querySelector<HTMLElement>('.chat-pinned');

describe('a pinned message', () => {
  test('stands above the lines, with the greeting and with every change', async () => {
    const { environment } = await enter();
    environment.socket.say({ ...greeting, id: 'g2', pinned: pin('rules') });
    await vi.waitFor(() => expect(pinned()?.textContent).toBe('Pinned by adabrookrules'), SOON);
    expect(screen.queryByRole('button', { name: 'Unpin' })).toBeNull();
    environment.socket.say({ type: 'PINNED_MESSAGE', id: 'p2', pinned: pin('news', { pinnedBy: 'operator' }) });
    await pass();
    expect(pinned()?.textContent).toBe('Pinned by the streamerbrooknews');
    environment.socket.say({ type: 'PINNED_MESSAGE', id: 'p3', pinned: null });
    await pass();
    expect(pinned()).toBeNull();
  });

  test('is gone when a new greeting knows of none', async () => {
    const { environment } = await enter();
    environment.socket.say({ ...greeting, id: 'g2', pinned: pin('rules') });
    await vi.waitFor(() => expect(pinned()).not.toBeNull(), SOON);
    environment.socket.say({ ...greeting, id: 'g3' });
    await pass();
    expect(pinned()).toBeNull();
  });

  test('is chosen and taken away by moderators', async () => {
    const server = answerWith({ [PIN]: done });
    vi.stubGlobal('fetch', server.fakeFetch);
    const moderator = { ...me, scopes: ['MODERATOR'] };
    const { environment } = await enter({ user: moderator });
    environment.socket.say(said('rules'));
    await pass();
    await openMenu('rules', 'Moderate brook');
    fireEvent.click(screen.getByRole('menuitem', { name: 'Pin above the chat' }));
    environment.socket.say({ type: 'PINNED_MESSAGE', id: 'p', pinned: pin('rules') });
    await vi.waitFor(() => expect(pinned()).not.toBeNull(), SOON);
    fireEvent.click(screen.getByRole('button', { name: 'Unpin' }));
    await pass();
    const sent = server.sent.filter(({ method }) => method === 'POST').map(({ body }) => body);
    expect(sent).toEqual([
      { id: 'rules', pinned: true },
      { id: 'rules', pinned: false },
    ]);
  });
});

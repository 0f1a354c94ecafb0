import { fireEvent, screen, within } from '@solidjs/testing-library';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { fetchModeration } from '../../src/viewer/chat/moderation/parts.ts';
import type { ChatEvent, ChatUser, ModerationEntry, SiteConfig } from '../../src/wire.ts';
import { answerWith } from '../helpers.ts';
import { enter, pass, row, rows, useChat } from './chat-kit.tsx';
import { brook, type FakeEnvironment, greeting, me, said } from './fakes.ts';

useChat();
beforeEach(() => sessionStorage.clear());

const moderator = { scopes: ['MODERATOR'] };
const OK = { body: { success: true } };
const VISIBILITY = '/api/chat/messagevisibility?accessToken=token-1';
const TIMEOUT = '/api/chat/users/timeout?accessToken=token-1';
const ENABLED = '/api/chat/users/setenabled?accessToken=token-1';
const DETAILS = 'GET /api/moderation/chat/user/brook?accessToken=token-1';
const HIDDEN = 'GET /api/chat/hidden?accessToken=token-1';
type Routes = Parameters<typeof answerWith>[0];

async function moderate(
  routes: Routes = {},
  user: Partial<ChatUser> = moderator,
  more: { config?: Partial<SiteConfig>; history?: ChatEvent[] } = {},
) {
  const { sent, fakeFetch } = answerWith({ [HIDDEN]: { body: [] }, ...routes });
  vi.stubGlobal('fetch', fakeFetch);
  await fetchModeration();
  const { environment } = await enter({ user, ...more });
  await settle();
  return { environment, posts: () => sent.filter(({ method }) => method === 'POST'), sent };
}

const settle = async () => {
  await pass();
  await vi.dynamicImportSettled();
  await pass();
};
const details = (change: Partial<ChatUser> & { mutedUntil?: string; disabledAt?: string } = {}) => ({
  [DETAILS]: { body: { user: { ...brook, ...change }, connectedClients: [], messages: [] } },
});

async function openMenu(environment: FakeEnvironment) {
  environment.socket.say(said('bad', '<p>rude</p>'));
  await pass();
  fireEvent.focusIn(row('bad') as HTMLElement);
  fireEvent.click(screen.getByRole('button', { name: 'Moderate brook' }));
  await settle();
  return screen.getAllByRole('menuitem').map((item) => item.textContent);
}
const choose = async (name: string) => {
  fireEvent.click(screen.getByRole('menuitem', { name }));
  await settle();
};
const hide = (...ids: string[]) => ({ type: 'VISIBILITY-UPDATE', ids, visible: false });

describe('the list stands still', () => {
  const move = (id: string, x: number) =>
    row(id)?.dispatchEvent(new MouseEvent('pointermove', { bubbles: true, clientX: x, clientY: 1 }));
  const leave = () =>
    document.querySelector('.chat-lines')?.dispatchEvent(new MouseEvent('pointerleave', { clientX: 900, clientY: 1 }));

  test('while a moderator points at a line, and counts what comes', async () => {
    const { environment } = await moderate();
    environment.socket.say(said('a'));
    await pass();
    move('a', 5);
    environment.socket.say(said('b'), said('c'), said('d'));
    await pass();
    expect(row('b')).toBeNull();
    expect(screen.getByRole('button', { name: '3 new messages' })).toBeTruthy();
    leave();
    expect(row('d')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /new message/ })).toBeNull();
    move('d', 6);
    environment.socket.say(said('e'));
    await pass(5_100);
    expect(row('e'), 'a pointer that only lies there').toBeTruthy();
  });

  test('no longer when what was chosen in a menu lies over the lines', async () => {
    const { environment } = await moderate();
    environment.socket.say(said('a'));
    await pass();
    move('a', 5);
    const buttons = row('a')?.querySelector('.chat-tools');
    buttons?.dispatchEvent(new MouseEvent('pointermove', { bubbles: true, clientX: 6, clientY: 1 }));
    await pass(10_000);
    environment.socket.say(said('b'));
    await pass();
    expect(row('b'), 'buttons are meant as long as the pointer is on them').toBeNull();
    // As browsers do: the pointer has not moved.
    document.querySelector('.chat-lines')?.dispatchEvent(new MouseEvent('pointerleave', { clientX: 6, clientY: 1 }));
    await pass(5_100);
    expect(row('b')).toBeTruthy();
  });

  test('no longer when the line with the focus is gone', async () => {
    const { environment } = await moderate({}, {});
    environment.socket.say(said('a'), said('b'));
    await pass();
    const matches = vi.spyOn(HTMLElement.prototype, 'matches').mockReturnValue(true);
    row('b')?.focus();
    matches.mockRestore();
    environment.socket.say(said('c'));
    await pass();
    expect(row('c')).toBeNull();
    environment.socket.say(hide('b'));
    await pass();
    expect(row('c')).toBeTruthy();
  });

  test('and has its lines when those from before come in between', async () => {
    const { environment } = await moderate();
    const bad = { ...said('bad'), hiddenAt: '2026-01-02T12:10:00Z' };
    environment.socket.say(said('a'));
    await pass();
    move('a', 5);
    vi.stubGlobal('fetch', answerWith({ [HIDDEN]: { body: [bad] } }).fakeFetch);
    environment.socket.drop();
    await pass(3_000);
    move('a', 6);
    environment.socket.say({ ...greeting, user: { ...me, ...moderator } });
    await settle();
    expect(row('a')).toBeTruthy();
    leave();
    await settle();
    expect(row('bad')).toBeTruthy();
    expect(row('a')).toBeTruthy();
  });

  test('while the menu of a line is open, and for nobody else who points', async () => {
    const { environment } = await moderate(details());
    await openMenu(environment);
    environment.socket.say(said('later'));
    await pass();
    expect(row('later')).toBeNull();
    fireEvent.keyDown(screen.getAllByRole('menuitem')[0] as HTMLElement, { key: 'Escape' });
    await settle();
    (document.activeElement as HTMLElement | null)?.blur();
    await settle();
    expect(row('later')).toBeTruthy();
    environment.socket.say({ ...greeting, user: me });
    await pass();
    move('later', 7);
    environment.socket.say(said('last'));
    await pass();
    expect(row('last')).toBeTruthy();
  });
});

describe('hidden lines', () => {
  test('stay for moderators, struck through, until they are shown again; others see nothing of them', async () => {
    const { environment, posts } = await moderate({ [`POST ${VISIBILITY}`]: OK });
    environment.socket.say(said('a'), said('b'));
    environment.socket.say(hide('a'));
    await pass();
    expect(row('a')?.classList.contains('is-hidden')).toBe(true);
    expect(row('b')?.classList.contains('is-hidden')).toBe(false);
    fireEvent.click(within(row('a') as HTMLElement).getByRole('button', { name: 'Show again' }));
    await pass();
    expect(posts()[0]?.body).toEqual({ idArray: ['a'], visible: true });
    expect(document.activeElement).toBe(row('a'));
    environment.socket.say({ ...hide('a'), visible: true });
    await pass();
    expect(row('a')?.classList.contains('is-hidden')).toBe(false);
    environment.socket.say(hide('b'), { ...greeting, user: me });
    await pass();
    expect(row('b'), 'the role is gone').toBeNull();
    expect(row('a')).toBeTruthy();
  });

  test('several in a row are one line that opens, and what goes on below it has its name', async () => {
    // jsdom has none.
    vi.stubGlobal('CSS', { escape: (text: string) => text });
    const { environment } = await moderate();
    environment.socket.say(...['first', 'a', 'b', 'c', 'last'].map((id) => said(id)));
    environment.socket.say(hide('a', 'b'));
    await pass();
    expect(rows(), 'two are not worth it').toHaveLength(5);
    environment.socket.say(hide('c'));
    await pass();
    expect(rows().map((one) => one.dataset.id)).toEqual(['first', 'fold-a', 'last']);
    expect(row('last')?.classList.contains('is-continued')).toBe(false);
    fireEvent.click(screen.getByRole('button', { name: '3 hidden messages' }));
    await pass();
    expect(rows().map((one) => one.dataset.id)).toEqual(['first', 'a', 'b', 'c', 'last']);
    expect(document.activeElement).toBe(row('a'));
  });

  test('the one that somebody is at is not folded away when it is hidden', async () => {
    const { environment } = await moderate();
    environment.socket.say(...['a', 'b', 'c'].map((id) => said(id)));
    await pass();
    row('b')?.focus();
    environment.socket.say(hide('a', 'b', 'c'));
    await pass();
    expect(document.activeElement).toBe(row('b'));
    expect(rows()).toHaveLength(3);
  });

  test('are there after a reload too, at their place', async () => {
    const before = said('before');
    const bad = { ...said('bad', '<p>rude</p>'), hiddenAt: '2026-01-02T12:10:00Z' };
    await moderate({ [HIDDEN]: { body: [bad] } }, moderator, { history: [before, said('after')] });
    expect(rows().map((one) => one.dataset.id)).toEqual(['before', 'bad', 'after']);
    expect(row('bad')?.textContent).toContain('Hidden');
  });

  test('a note lets whoever hid a line undo it', async () => {
    const { environment, posts } = await moderate({ [`POST ${VISIBILITY}`]: OK, ...details() });
    await openMenu(environment);
    await choose('Hide message');
    expect(screen.getByText('Message hidden.')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    await pass();
    expect(posts().map(({ body }) => body)).toEqual([
      { idArray: ['bad'], visible: false },
      { idArray: ['bad'], visible: true },
    ]);
    expect(screen.queryByText('Message hidden.')).toBeNull();
  });
});

describe('timeouts and bans', () => {
  test('what is not there cannot be lifted', async () => {
    const { environment } = await moderate(details());
    expect(await openMenu(environment)).toEqual([
      'Hide message',
      'Pin above the chat',
      'Time out…',
      'Ban',
      'More about this person',
    ]);
  });

  test('what is there can', async () => {
    const { environment, posts } = await moderate({
      ...details({ mutedUntil: new Date(Date.now() + 60_000).toISOString() }),
      [`POST ${TIMEOUT}`]: OK,
    });
    expect(await openMenu(environment)).toContain('Lift the timeout');
    await choose('Lift the timeout');
    expect(posts()[0]?.body).toEqual({ userId: 'brook', seconds: 0 });
  });

  test('a timeout that is over is none, and a ban is lifted instead of made', async () => {
    const { environment, posts } = await moderate({
      ...details({ mutedUntil: new Date(Date.now() - 1).toISOString(), disabledAt: '2026-01-02T12:00:00Z' }),
      [`POST ${ENABLED}`]: OK,
    });
    expect(await openMenu(environment)).toEqual([
      'Hide message',
      'Pin above the chat',
      'Unban',
      'More about this person',
    ]);
    await choose('Unban');
    expect(posts()[0]?.body).toEqual({ userId: 'brook', enabled: true });
  });

  test('a server that says nothing does not keep the menu shut', async () => {
    const { environment } = await moderate();
    expect(await openMenu(environment)).toContain('Time out…');
  });

  test('a timeout has a length and may have a reason', async () => {
    const { environment, posts } = await moderate({ ...details(), [`POST ${TIMEOUT}`]: OK });
    await openMenu(environment);
    await choose('Time out…');
    const dialog = within(screen.getByRole('dialog'));
    expect(dialog.getByText('10 minutes').getAttribute('aria-pressed')).toBe('true');
    fireEvent.click(dialog.getByText('24 hours'));
    fireEvent.input(dialog.getByLabelText('Reason (optional)'), { target: { value: ' spam ' } });
    fireEvent.click(dialog.getByRole('button', { name: 'Time out' }));
    await settle();
    expect(posts().map(({ body }) => body)).toEqual([{ userId: 'brook', seconds: 86_400, reason: 'spam' }]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('a reason that is too long is not sent', async () => {
    const { environment, posts } = await moderate({ ...details(), [`POST ${ENABLED}`]: OK });
    await openMenu(environment);
    await choose('Ban');
    const dialog = within(screen.getByRole('dialog'));
    const reason = dialog.getByLabelText('Reason (optional)');
    fireEvent.input(reason, { target: { value: 'x'.repeat(201) } });
    expect(dialog.getByRole('alert').textContent).toBe('Use at most 200 characters.');
    fireEvent.click(dialog.getByRole('button', { name: 'Ban' }));
    await settle();
    expect(posts()).toEqual([]);
    fireEvent.input(reason, { target: { value: '' } });
    fireEvent.click(dialog.getByRole('button', { name: 'Ban' }));
    await settle();
    expect(posts()[0]?.body).toEqual({ userId: 'brook', enabled: false });
  });

  test('whoever is banned reads why', async () => {
    const { environment } = await enter();
    environment.socket.say({ type: 'ERROR_USER_DISABLED', user: null, reason: 'spam' });
    await pass();
    expect(screen.getByText('Reason: spam')).toBeTruthy();
  });
});

describe('everything about somebody', () => {
  test('hides all messages, and has the way back where it can be pressed', async () => {
    const messages = [{ ...said('bad'), hiddenAt: '2026-01-02T12:10:00Z' }, said('worse'), said('worst')];
    const { environment, posts } = await moderate({
      [DETAILS]: { body: { user: brook, connectedClients: [], messages } },
      [`POST ${VISIBILITY}`]: OK,
    });
    await openMenu(environment);
    await choose('More about this person');
    const dialog = within(screen.getByRole('dialog'));
    fireEvent.click(dialog.getByRole('button', { name: 'Hide all messages' }));
    await settle();
    const undo = dialog.getByRole('button', { name: 'Undo' });
    expect(document.activeElement).toBe(undo);
    fireEvent.click(undo);
    await settle();
    expect(posts().map(({ body }) => body)).toEqual([
      { idArray: ['worse', 'worst'], visible: false },
      { idArray: ['worse', 'worst'], visible: true },
    ]);
    expect(dialog.queryByRole('button', { name: 'Undo' })).toBeNull();
  });
});

describe('the panel', () => {
  const SANCTIONED = 'GET /api/chat/users/sanctioned?accessToken=token-1&offset=0';
  const HELD = 'GET /api/chat/held?accessToken=token-1';
  const open = async (routes: Routes, tab: string) => {
    const opened = await moderate({ [HELD]: { body: [] }, ...routes });
    fireEvent.click(screen.getByRole('button', { name: 'Your menu: ada' }));
    await choose('Moderation');
    fireEvent.click(screen.getByRole('tab', { name: tab }));
    await settle();
    return opened;
  };

  test('is for moderators', async () => {
    await moderate({}, {});
    fireEvent.click(screen.getByRole('button', { name: 'Your menu: ada' }));
    expect(screen.queryByRole('menuitem', { name: 'Moderation' })).toBeNull();
  });

  test('shows who is shut out and why, and lifts it', async () => {
    const results = [
      { ...brook, id: 'b', displayName: 'eve', disabledAt: '2026-01-02T12:00:00Z', disabledReason: 'spam' },
      { ...brook, mutedUntil: '2099-01-02T12:00:00Z' },
    ];
    const { posts } = await open(
      { [SANCTIONED]: { body: { total: 2, results } }, [`POST ${ENABLED}`]: OK, [`POST ${TIMEOUT}`]: OK },
      'Banned and timed out',
    );
    expect(screen.getByText('Reason: spam')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Unban eve' }));
    await pass();
    fireEvent.click(screen.getByRole('button', { name: 'Lift the timeout of brook' }));
    await pass();
    expect(posts().map(({ body }) => body)).toEqual([
      { userId: 'b', enabled: true },
      { userId: 'brook', seconds: 0 },
    ]);
    expect(screen.getByText('Nobody is banned or timed out.')).toBeTruthy();
    expect(screen.queryByText('Show more')).toBeNull();
  });

  test('tells what was done, and more when asked', async () => {
    const entry = (seq: number, change: Partial<ModerationEntry> = {}): ModerationEntry => ({
      at: '2026-01-02T12:00:00Z',
      actor: 'me',
      actorName: 'ada',
      action: 'ban',
      target: 'brook',
      targetName: 'brook',
      detail: '',
      reason: '',
      seq,
      ...change,
    });
    const first = Array.from({ length: 50 }, (_, index) => entry(100 - index));
    first[0] = entry(100, { actor: 'operator', actorName: 'operator', action: 'hide', reason: 'rude' });
    first[1] = entry(99, { action: 'moderator', actor: 'brook', actorName: 'brook' });
    first[2] = entry(98, { action: 'from-the-future' });
    await open(
      {
        'GET /api/chat/log?accessToken=token-1': { body: first },
        'GET /api/chat/log?accessToken=token-1&before=51': { body: [entry(50, { action: 'unban' })] },
      },
      'Log',
    );
    const plain = () =>
      [...document.querySelectorAll('.moderation-list li')].map((one) =>
        one.textContent?.replace(/[\u2068\u2069]/g, ''),
      );
    expect(plain()[0]).toContain('The operator hid a message by brookReason: rude');
    expect(plain()[1]).toContain('brook accepted an invitation to moderate');
    expect(plain()[2]).toContain('ada: from-the-future');
    expect(plain()[3]).toContain('ada banned brook');
    fireEvent.click(screen.getByText('Show more'));
    await pass();
    expect(plain()).toHaveLength(51);
    expect(plain()[50]).toContain('ada unbanned brook');
    expect(screen.queryByText('Show more')).toBeNull();
  });

  test('a line that still waits keeps the focus when the list is asked for again', async () => {
    await open({ [HELD]: { body: [{ ...said('first'), visible: false }] } }, 'Waiting');
    const approve = screen.getByRole('button', { name: 'Approve' });
    approve.focus();
    await pass(25_000);
    expect(document.activeElement).toBe(approve);
  });

  const waiting = (...ids: string[]) => ({ body: ids.map((id) => ({ ...said(id), visible: false })) });
  const entry = (id: string) => screen.getByText(id).closest('li') as HTMLElement;
  const decide = async (id: string, name: string) => {
    const button = within(entry(id)).getByRole('button', { name });
    button.focus();
    fireEvent.click(button);
    await settle();
  };

  test('the next waiting line has the focus after a decision, and the list when none is left', async () => {
    const routes: Routes = {
      [HELD]: waiting('first', 'second', 'third'),
      'POST /api/chat/held?accessToken=token-1': OK,
    };
    await open(routes, 'Waiting');
    await decide('second', 'Approve');
    expect(document.activeElement).toBe(entry('third'));
    await decide('third', 'Reject');
    expect(document.activeElement).toBe(entry('first'));
    await decide('first', 'Reject');
    expect(document.activeElement?.textContent).toContain('Nothing is waiting');
  });

  test('a ban from the waiting lines comes back to them, at the next one', async () => {
    const routes: Routes = {
      [HELD]: waiting('first', 'second'),
      [DETAILS]: details()[DETAILS],
      [`POST ${ENABLED}`]: OK,
    };
    await open(routes, 'Waiting');
    await decide('first', 'Ban brook');
    const { sent, fakeFetch } = answerWith({ ...routes, [HELD]: waiting('second') });
    vi.stubGlobal('fetch', fakeFetch);
    const dialog = within(screen.getByRole('dialog', { name: 'Ban brook?' }));
    within(entry('first')).getByRole('button', { name: 'Ban brook' }).focus();
    fireEvent.click(dialog.getByRole('button', { name: 'Ban' }));
    await settle();
    expect(sent.map(({ body }) => body)).toContainEqual({ userId: 'brook', enabled: false });
    expect(screen.queryByRole('dialog', { name: 'Ban brook?' })).toBeNull();
    expect(document.activeElement).toBe(entry('second'));
  });

  test('a list that does not come can be asked for again', async () => {
    const routes: Routes = { [SANCTIONED]: { status: 503, body: {} } };
    await open(routes, 'Banned and timed out');
    expect(screen.getByText('That did not work. Please try again.')).toBeTruthy();
    fireEvent.click(screen.getByText('Try again'));
    await pass();
    expect(screen.getByText('That did not work. Please try again.')).toBeTruthy();
  });
});

describe('an invitation', () => {
  const ACCEPT = 'POST /api/chat/invitations/accept?accessToken=token-1';
  const invited = async (routes: Routes, user: Partial<ChatUser>, config: Partial<SiteConfig> = {}) => {
    history.replaceState(null, '', '/#moderator=secret');
    return moderate(routes, user, { config });
  };

  test('leaves the address at once, and is put away by a no', async () => {
    await invited({}, { authenticated: true });
    expect(location.hash).toBe('');
    expect(screen.getByRole('dialog').textContent).toContain('You are signed in as ada.');
    fireEvent.click(screen.getByRole('button', { name: 'Not now' }));
    await pass();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(sessionStorage.length).toBe(0);
  });

  test('asks whoever is nobody yet to sign in, and is there when they come back', async () => {
    await invited({}, { authenticated: false });
    const dialog = within(screen.getByRole('dialog'));
    expect(dialog.getByText(/Please sign in first/)).toBeTruthy();
    expect(dialog.queryByRole('button', { name: 'Become a moderator' })).toBeNull();
    fireEvent.click(dialog.getByRole('button', { name: 'Sign in' }));
    await settle();
    expect(Object.values({ ...sessionStorage })).toEqual(['secret']);
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Cancel' }));
    await settle();
    expect(screen.getByText(/Please sign in first/)).toBeTruthy();
  });

  test('says so where nobody can sign in', async () => {
    await invited({}, { authenticated: false }, { authentication: { indieAuthEnabled: false } });
    expect(screen.getByText(/Nobody can sign in on this server yet/)).toBeTruthy();
  });

  test('is accepted by whoever is signed in', async () => {
    const { posts } = await invited({ [ACCEPT]: OK }, { authenticated: true });
    fireEvent.click(screen.getByRole('button', { name: 'Become a moderator' }));
    await settle();
    expect(posts().map(({ body }) => body)).toEqual([{ token: 'secret' }]);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByText(/You are a moderator now/)).toBeTruthy();
    expect(sessionStorage.length).toBe(0);
  });

  test.each([
    [403, /no longer valid/],
    [409, /Please sign in first/],
    [429, /That did not work/],
  ])('an answer of %i is explained', async (status, words) => {
    await invited({ [ACCEPT]: { status, body: { success: false, message: 'no' } } }, { authenticated: true });
    fireEvent.click(screen.getByRole('button', { name: 'Become a moderator' }));
    await settle();
    expect(screen.getByText(words)).toBeTruthy();
  });
});

describe('brakes', () => {
  const RESTRICTIONS = '/api/chat/restrictions?accessToken=token-1';
  const none = {
    paused: false,
    slowModeSeconds: 0,
    signedInOnly: false,
    returningOnly: false,
    establishedOnly: false,
    holdCopiedMessages: true,
  };

  test('are put on from the panel', async () => {
    const { posts } = await moderate({
      [`GET ${RESTRICTIONS}`]: { body: none },
      [`POST ${RESTRICTIONS}`]: OK,
      'GET /api/chat/held?accessToken=token-1': { body: [] },
    });
    fireEvent.click(screen.getByRole('button', { name: 'Your menu: ada' }));
    await settle();
    fireEvent.click(screen.getByRole('menuitem', { name: 'Moderation' }));
    await settle();
    fireEvent.click(screen.getByRole('tab', { name: 'Brakes' }));
    await settle();
    fireEvent.click(screen.getByRole('checkbox', { name: /^Pause the chat/ }));
    fireEvent.click(screen.getByRole('button', { name: '30 s' }));
    await settle();
    expect(posts().map(({ body }) => body)).toEqual([{ paused: true }, { slowModeSeconds: 30 }]);
  });

  test('one that is refused goes back alone, and an answer from before a change does not undo it', async () => {
    const answers: ((restrictions: object) => void)[] = [];
    const refusals: (() => void)[] = [];
    await moderate();
    vi.stubGlobal('fetch', async (path: string, { method = 'GET', body }: RequestInit) => {
      if (path !== RESTRICTIONS) return new Response('[]');
      if (method !== 'GET' && !String(body).includes('paused')) return new Response('{"success":true}');
      return new Promise<Response>((resolve) => {
        if (method === 'GET') answers.push((state) => resolve(new Response(JSON.stringify(state))));
        else refusals.push(() => resolve(new Response('{}', { status: 503 })));
      });
    });
    fireEvent.click(screen.getByRole('button', { name: 'Your menu: ada' }));
    await choose('Moderation');
    fireEvent.click(screen.getByRole('tab', { name: 'Brakes' }));
    await settle();
    answers.shift()?.(none);
    await settle();
    const paused = screen.getByRole<HTMLInputElement>('checkbox', { name: /^Pause the chat/ });
    const slow = screen.getByRole('button', { name: '30 s' });
    const state = () => [paused.checked, slow.getAttribute('aria-pressed')];
    fireEvent.click(paused);
    fireEvent.click(slow);
    await settle();
    expect(state()).toEqual([true, 'true']);
    refusals[0]?.();
    await settle();
    expect(state()).toEqual([false, 'true']);
    await pass(10_000);
    fireEvent.click(screen.getByRole('button', { name: '60 s' }));
    answers.shift()?.({ ...none, slowModeSeconds: 30 });
    await settle();
    expect(slow.getAttribute('aria-pressed')).toBe('false');
  });
});

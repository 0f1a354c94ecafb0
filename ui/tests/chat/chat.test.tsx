import { cleanup, fireEvent, render, screen, within } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Chat } from '../../src/viewer/chat/Chat.tsx';
import { Dialogs } from '../../src/viewer/chat/Dialogs.tsx';
import { createRoom, type Room } from '../../src/viewer/chat/room.ts';
import { UserMenu } from '../../src/viewer/chat/UserMenu.tsx';
import type { ChatUser, SiteConfig } from '../../src/wire.ts';
import { answerWith, dialogsOpen, speakEnglish } from '../helpers.ts';
import { brook, chatConfig, FakeWorld, greeting, me, said } from './fakes.ts';

/** One frame and everything that waits for a promise. */
const pass = (ms = 20) => vi.advanceTimersByTimeAsync(ms);

beforeEach(async () => {
  await speakEnglish();
  dialogsOpen();
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

interface Options {
  config?: Partial<SiteConfig>;
  user?: Partial<ChatUser>;
  history?: FakeWorld['entries'];
}

async function enter(options: Options = {}) {
  const world = new FakeWorld();
  world.entries = options.history ?? [];
  const [config, setConfig] = createSignal<SiteConfig>({ ...chatConfig, ...options.config });
  const [isOpen, setOpen] = createSignal(true);
  let room: Room | undefined;
  render(() => {
    const made = createRoom({ config, isOpen, world });
    room = made;
    return (
      <>
        <UserMenu room={made} toggle={{ isShown: true, onToggle: () => {} }} />
        <Chat room={made} tools={null} />
        <Dialogs room={made} />
      </>
    );
  });
  await pass();
  world.socket.say({ ...greeting, user: { ...me, ...options.user } });
  await pass();
  if (!room) throw new Error('no room');
  return { world, room, setConfig, setOpen };
}

const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Send a message' });
const type = (text: string) => {
  field().value = text;
  field().setSelectionRange(text.length, text.length);
  fireEvent.input(field());
};
const press = (key: string, more: KeyboardEventInit = {}) => fireEvent.keyDown(field(), { key, ...more });
const rows = () => [...document.querySelectorAll<HTMLElement>('.chat-line')];
const row = (id: string) => document.querySelector<HTMLElement>(`[data-id="${id}"]`);

describe('the lines', () => {
  test('history and what follows, each once', async () => {
    const first = said('first');
    const { world } = await enter({ history: [first] });
    world.socket.say(first, said('second'));
    await pass();
    expect(rows().map((line) => line.dataset.id)).toEqual(['first', 'second']);
  });

  test('carry the classes others look for', async () => {
    const { world } = await enter();
    world.socket.say(said('a'), { type: 'SYSTEM', id: 's', body: '<p>hi</p>', user: { displayName: 'Brook Radio' } });
    world.socket.say({ type: 'FEDIVERSE_ENGAGEMENT_LIKE', id: 'f', title: 'x@y', body: '' });
    await pass();
    expect(document.querySelector('.chat-message_user [class*="ChatUserMessage_userName__"]')?.textContent).toBe(
      'brook',
    );
    expect(document.querySelector('.chat-message_user [class*="ChatUserMessage_message__"]')?.textContent).toBe('a');
    expect(document.querySelector('.chat-message_system')).not.toBeNull();
    expect(document.querySelector('.chat-message_social')).not.toBeNull();
    expect(document.querySelector('[class*="ChatTextField_inputWrap__"] textarea')).not.toBeNull();
    expect(document.querySelector('#modal-container')).not.toBeNull();
  });

  test('a name is text, whatever is in it', async () => {
    const { world } = await enter();
    world.socket.say(said('a', '<p>x</p>', { user: { ...brook, displayName: '<img src=x onerror=alert(1)>' } }));
    await pass();
    expect(row('a')?.querySelector('img')).toBeNull();
    expect(row('a')?.querySelector('.chat-name')?.textContent).toBe('<img src=x onerror=alert(1)>');
  });

  test('a hidden one vanishes', async () => {
    const { world } = await enter();
    world.socket.say(said('good'), said('bad'));
    await pass();
    world.socket.say({ type: 'VISIBILITY-UPDATE', ids: ['bad'], visible: false });
    await pass();
    expect(rows().map((line) => line.dataset.id)).toEqual(['good']);
  });

  test('those that speak to me stand out, also in the history', async () => {
    const { world } = await enter({ history: [said('old', '<p>hi @ada</p>')] });
    world.socket.say(said('new', '<p>hey @Ada!</p>'), said('other', '<p>@adam</p>'));
    await pass();
    expect(rows().map((line) => line.classList.contains('is-mentioned'))).toEqual([true, true, false]);
  });

  test('badges say who somebody is', async () => {
    const { world } = await enter();
    world.socket.say(said('a', 'x', { user: { ...brook, isBot: true, authenticated: true, scopes: ['MODERATOR'] } }));
    await pass();
    const head = within(row('a') as HTMLElement);
    for (const badge of ['Moderator', 'Bot', 'Authenticated']) expect(head.getByText(badge)).toBeTruthy();
  });

  test('coming, going and new names are told', async () => {
    const { world } = await enter();
    world.socket.say(
      { type: 'USER_JOINED', id: 'j', user: brook },
      { type: 'NAME_CHANGE', id: 'n', oldName: 'brook', user: { ...brook, displayName: 'rill' } },
      { type: 'USER_PARTED', id: 'p', user: { ...brook, displayName: 'rill' } },
    );
    await pass();
    expect(rows().map((line) => line.textContent)).toEqual([
      'brook joined the chat.',
      'brook is now known as rill.',
      'rill left the chat.',
    ]);
  });

  test('only a bounded number is in the page, the newest', async () => {
    const { world } = await enter();
    for (let batch = 0; batch < 20; batch += 1) {
      world.socket.say(...Array.from({ length: 100 }, (_, index) => said(`${batch}-${index}`)));
    }
    await pass();
    expect(rows().length).toBeLessThanOrEqual(300);
    expect(rows().at(-1)?.dataset.id).toBe('19-99');
  });

  describe('at the bottom', () => {
    /** jsdom lays nothing out; this scroller is 500 high with as much in it as told. */
    const scroller = (height: number) => {
      const element = document.querySelector('.chat-scroll') as HTMLElement;
      const place = { top: 0, height };
      const clamp = (top: number) => Math.max(Math.min(top, place.height - 500), 0);
      Object.defineProperties(element, {
        clientHeight: { value: 500 },
        scrollHeight: { get: () => place.height },
        scrollTop: { get: () => place.top, set: (top: number) => Object.assign(place, { top: clamp(top) }) },
      });
      return { element, place };
    };

    test('it stays there when a picture makes the lines longer', async () => {
      const { world } = await enter();
      const { element, place } = scroller(1_000);
      world.socket.say(said('a'));
      await pass();
      expect(place.top).toBe(500);
      place.height = 1_300;
      fireEvent.scroll(element);
      expect(place.top).toBe(800);
    });

    test('it stands still for those who scrolled up, and counts', async () => {
      const { world } = await enter();
      const { element, place } = scroller(1_000);
      world.socket.say(said('a'));
      await pass();
      element.scrollTop = 200;
      fireEvent.scroll(element);
      world.socket.say(said('b'), said('c'));
      await pass();
      expect(place.top).toBe(200);
      expect(row('b')).toBeNull();
      fireEvent.click(screen.getByRole('button', { name: '2 new messages' }));
      expect(row('c')).not.toBeNull();
      expect(place.top).toBe(500);
      expect(screen.queryByRole('button', { name: /new message|Go to bottom/ })).toBeNull();
    });
  });

  test('new ones are read out, history is not', async () => {
    const { world } = await enter({ history: [said('old')] });
    world.socket.say(said('new', '<p>hello <em>you</em></p>'));
    await pass();
    expect(screen.getByRole('log').textContent).toBe('brook: hello you');
  });
});

describe('the buttons of a line', () => {
  /** jsdom has no events of pointers; those of a mouse have the same place. */
  const point = (type: 'over' | 'move' | 'leave', at: Element | null, place: MouseEventInit) =>
    at?.dispatchEvent(new MouseEvent(`pointer${type}`, { bubbles: type !== 'leave', ...place }));
  const here = { clientX: 300, clientY: 200 };
  const replyTo = (id: string) =>
    within(row(id) as HTMLElement).queryByRole<HTMLButtonElement>('button', { name: 'Reply to brook' });

  /** Two lines, the pointer over the button of the first. */
  const pointAt = async () => {
    const { world } = await enter();
    world.socket.say(said('a'), said('b'));
    await pass();
    point('over', row('a'), { clientX: 290, clientY: 200 });
    const button = replyTo('a') as HTMLButtonElement;
    point('over', button, here);
    return { world, button };
  };

  test('stay while new lines move the list under a pointer that rests', async () => {
    const { world, button } = await pointAt();
    world.socket.say(said('c'));
    await pass();
    // As browsers do: what lies there now is told of the pointer, which has not moved.
    point('over', row('b'), here);
    expect(replyTo('a')).toBe(button);
    expect(replyTo('b')).toBeNull();
    point('leave', document.querySelector('.chat-lines'), here);
    expect(replyTo('a')).toBe(button);
  });

  test('go to the line the pointer moves to, also within what came to lie under it', async () => {
    await pointAt();
    point('over', row('b'), here);
    point('move', row('b'), { clientX: 301, clientY: 200 });
    expect(replyTo('a')).toBeNull();
    expect(replyTo('b')).not.toBeNull();
    point('leave', document.querySelector('.chat-lines'), { clientX: 500, clientY: 200 });
    expect(replyTo('b')).toBeNull();
  });

  test('stay while one of them has the focus', async () => {
    const { button } = await pointAt();
    button.focus();
    point('move', row('b'), { clientX: 300, clientY: 230 });
    expect(replyTo('a')).toBe(button);
    expect(document.activeElement).toBe(button);
    expect(replyTo('b')).not.toBeNull();
    field().focus();
    expect(replyTo('a')).toBeNull();
  });
});

describe('writing', () => {
  test('Enter sends and empties the field, Shift+Enter does not', async () => {
    const { world } = await enter();
    type('hello');
    press('Enter', { shiftKey: true });
    await pass();
    expect(world.socket.sent).toEqual([]);
    press('Enter');
    await pass();
    expect(world.socket.sent).toEqual([{ type: 'CHAT', body: 'hello' }]);
    expect(field().value).toBe('');
  });

  test('the Enter that ends a composed character is not meant for us', async () => {
    const { world } = await enter();
    type('にほん');
    press('Enter', { isComposing: true });
    await pass();
    expect(world.socket.sent).toEqual([]);
  });

  test('nothing but spaces is not sent, and neither is too much', async () => {
    const { world } = await enter();
    type('   ');
    press('Enter');
    type('x'.repeat(501));
    press('Enter');
    await pass();
    expect(world.socket.sent).toEqual([]);
    expect(document.querySelector('.chat-counter')?.textContent).toBe('-1');
    expect(field().value).toHaveLength(501);
  });

  test('an answer carries the id, and Escape lets go of it', async () => {
    const { world } = await enter();
    world.socket.say(said('asked', '<p>who is there?</p>'));
    await pass();
    fireEvent.focusIn(row('asked') as HTMLElement);
    fireEvent.click(screen.getByRole('button', { name: 'Reply to brook' }));
    expect(document.querySelector('.chat-replying')?.textContent).toContain('who is there?');
    press('Escape');
    expect(document.querySelector('.chat-replying')).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Reply to brook' }));
    type('me');
    press('Enter');
    await pass();
    expect(world.socket.sent).toEqual([{ type: 'CHAT', body: 'me', inReplyTo: 'asked' }]);
    expect(document.querySelector('.chat-replying')).toBeNull();
  });

  test('names are completed by keyboard', async () => {
    const { world } = await enter();
    world.socket.say(said('a'), said('b', 'x', { user: { ...brook, id: 'dew', displayName: 'brave-dew' } }));
    await pass();
    type('hi @br');
    const options = screen.getAllByRole('option');
    expect(options.map((option) => option.textContent)).toEqual(['@brave-dew', '@brook']);
    press('ArrowDown');
    press('Tab');
    expect(field().value).toBe('hi @brook ');
    expect(screen.queryByRole('option')).toBeNull();
  });

  test('Escape closes the list until something else is typed', async () => {
    const { world } = await enter();
    world.socket.say(said('a'));
    await pass();
    type('@br');
    press('Escape');
    expect(screen.queryByRole('option')).toBeNull();
    press('Enter');
    await pass();
    expect(world.socket.sent).toEqual([{ type: 'CHAT', body: '@br' }]);
  });

  test('emoji are completed once the field has been entered', async () => {
    vi.stubGlobal(
      'fetch',
      answerWith({ 'GET /api/emoji': { body: [{ name: 'wave', url: '/img/emoji/wave.svg' }] } }).fakeFetch,
    );
    await enter();
    fireEvent.focus(field());
    await pass();
    type(':wa');
    press('Enter');
    expect(field().value).toBe(':wave: ');
  });

  test('slow mode counts down and holds Enter back', async () => {
    const { world } = await enter({ config: { chatSlowModeSeconds: 5 } });
    type('one');
    press('Enter');
    await pass();
    type('two');
    press('Enter');
    await pass();
    expect(world.socket.sent).toHaveLength(1);
    expect(screen.getByText('Slow mode: wait 5 seconds')).toBeTruthy();
    await pass(5_000);
    press('Enter');
    await pass();
    expect(world.socket.sent).toHaveLength(2);
  });

  test('a line refused for slow mode comes back into the field', async () => {
    const { world } = await enter();
    type('too fast');
    press('Enter');
    await pass();
    world.socket.say({ type: 'CHAT_ACTION', id: 'n', body: 'Slow.', notice: 'slow-mode', retryAfterSeconds: 7 });
    await pass();
    expect(field().value).toBe('too fast');
    expect(screen.getByText('Slow mode: wait 7 seconds')).toBeTruthy();
  });

  test('a line that nobody may have heard comes back into the field', async () => {
    const { world } = await enter();
    type('into the void');
    press('Enter');
    await pass();
    world.socket.drop();
    await pass();
    expect(field().value).toBe('into the void');
    expect(screen.getByText('Connection lost, reconnecting…')).toBeTruthy();
  });

  test('a line that was heard does not', async () => {
    const { world } = await enter();
    type('heard');
    press('Enter');
    await pass();
    world.socket.say(said('mine', '<p>heard</p>', { user: me }));
    await pass();
    world.socket.drop();
    await pass();
    expect(field().value).toBe('');
  });
});

describe('when one cannot write', () => {
  test.each([['the stream is over', 'The chat is closed', async (setOpen: (open: boolean) => void) => setOpen(false)]])(
    'because %s, the place of the field says so',
    async (_why, words, change) => {
      const { setOpen } = await enter();
      await change(setOpen);
      await pass();
      expect(screen.getByText(words)).toBeTruthy();
      expect(screen.queryByRole('textbox')).toBeNull();
    },
  );

  test('because of a missing sign-in, it leads there', async () => {
    await enter({ config: { chatRequireAuthentication: true } });
    fireEvent.click(screen.getByRole('button', { name: 'Authenticate' }));
    expect(screen.getByRole('dialog').textContent).toContain('Your site');
  });

  test('because of a ban, it says so and keeps the lines', async () => {
    const { world } = await enter();
    world.socket.say(said('a'), { type: 'ERROR_USER_DISABLED' });
    await pass();
    expect(screen.getByText('You were removed from this chat')).toBeTruthy();
    expect(rows()).toHaveLength(1);
  });
});

describe('one’s own menu', () => {
  test('changes name and colour', async () => {
    const { world } = await enter();
    fireEvent.click(screen.getByRole('button', { name: 'Your menu: ada' }));
    fireEvent.click(screen.getByRole('menuitem', { name: 'Change name' }));
    await pass();
    fireEvent.input(screen.getByRole('textbox', { name: 'Name' }), { target: { value: 'ada of the brook' } });
    fireEvent.click(screen.getByRole('radio', { name: 'Colour 7' }));
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    await pass();
    expect(world.socket.sent, 'the second one waits, or the server would mute us').toHaveLength(1);
    await pass(1_000);
    expect(world.socket.sent).toEqual([
      { type: 'NAME_CHANGE', newName: 'ada of the brook' },
      { type: 'COLOR_CHANGE', newColor: 6 },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('offers what there is', async () => {
    await enter({ config: { authentication: { indieAuthEnabled: false } } });
    fireEvent.click(screen.getByRole('button', { name: 'Your menu: ada' }));
    expect(screen.getAllByRole('menuitem').map((item) => item.textContent)).toEqual([
      'Change name',
      'Hide chat',
      'Pop out chat',
    ]);
  });
});

describe('moderators', () => {
  const moderator = { scopes: ['MODERATOR'] };
  const openMenu = async (world: FakeWorld) => {
    world.socket.say(said('bad', '<p>rude</p>'));
    await pass();
    fireEvent.focusIn(row('bad') as HTMLElement);
    fireEvent.click(screen.getByRole('button', { name: 'Moderate brook' }));
    await vi.dynamicImportSettled();
    await pass();
  };

  test('have a menu at each line, others do not', async () => {
    const { world } = await enter();
    world.socket.say(said('a'));
    await pass();
    fireEvent.focusIn(row('a') as HTMLElement);
    expect(screen.queryByRole('button', { name: 'Moderate brook' })).toBeNull();
    world.socket.say({ ...greeting, user: { ...me, ...moderator } });
    await pass();
    expect(screen.getByRole('button', { name: 'Moderate brook' })).toBeTruthy();
  });

  test.each([
    ['Hide message', '/api/chat/messagevisibility', { idArray: ['bad'], visible: false }],
    ['Timeout for 10 minutes', '/api/chat/users/timeout', { userId: 'brook', seconds: 600 }],
    ['Lift the timeout', '/api/chat/users/timeout', { userId: 'brook', seconds: 0 }],
  ])('%s asks the server', async (item, path, body) => {
    const { sent, fakeFetch } = answerWith({ [`POST ${path}?accessToken=token-1`]: { body: { success: true } } });
    vi.stubGlobal('fetch', fakeFetch);
    const { world } = await enter({ user: moderator });
    await openMenu(world);
    fireEvent.click(screen.getByRole('menuitem', { name: item }));
    await pass();
    expect(sent.find((request) => request.method === 'POST')).toMatchObject({
      path: `${path}?accessToken=token-1`,
      body,
    });
  });

  test('a ban is asked about first', async () => {
    const { sent, fakeFetch } = answerWith({
      'POST /api/chat/users/setenabled?accessToken=token-1': { body: { success: true } },
    });
    vi.stubGlobal('fetch', fakeFetch);
    const { world } = await enter({ user: moderator });
    await openMenu(world);
    fireEvent.click(screen.getByRole('menuitem', { name: 'Ban' }));
    await vi.dynamicImportSettled();
    await pass();
    expect(sent).toEqual([]);
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Ban' }));
    await pass();
    expect(sent[0]?.body).toEqual({ userId: 'brook', enabled: false });
  });
});

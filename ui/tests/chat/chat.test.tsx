import { fireEvent, screen, within } from '@solidjs/testing-library';
import { describe, expect, test } from 'vitest';
import { enter, field, pass, row, rows, useChat } from './chat-kit.tsx';
import { brook, said } from './fakes.ts';

useChat();

describe('the lines', () => {
  test('history and what follows, each once', async () => {
    const first = said('first');
    const { environment } = await enter({ history: [first] });
    environment.socket.say(first, said('second'));
    await pass();
    expect(rows().map((line) => line.dataset.id)).toEqual(['first', 'second']);
  });

  test('carry the classes others look for', async () => {
    const { environment } = await enter();
    environment.socket.say(said('a'), {
      type: 'SYSTEM',
      id: 's',
      body: '<p>hi</p>',
      user: { displayName: 'Brook Radio' },
    });
    environment.socket.say({ type: 'FEDIVERSE_ENGAGEMENT_LIKE', id: 'f', title: 'x@y', body: '' });
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
    const { environment } = await enter();
    environment.socket.say(said('a', '<p>x</p>', { user: { ...brook, displayName: '<img src=x onerror=alert(1)>' } }));
    await pass();
    expect(row('a')?.querySelector('img')).toBeNull();
    expect(row('a')?.querySelector('.chat-name')?.textContent).toBe('<img src=x onerror=alert(1)>');
  });

  test('a hidden one vanishes', async () => {
    const { environment } = await enter();
    environment.socket.say(said('good'), said('bad'));
    await pass();
    environment.socket.say({ type: 'VISIBILITY-UPDATE', ids: ['bad'], visible: false });
    await pass();
    expect(rows().map((line) => line.dataset.id)).toEqual(['good']);
  });

  test('those that speak to me stand out, also in the history', async () => {
    const { environment } = await enter({ history: [said('old', '<p>hi @ada</p>')] });
    environment.socket.say(said('new', '<p>hey @Ada!</p>'), said('other', '<p>@adam</p>'));
    await pass();
    expect(rows().map((line) => line.classList.contains('is-mentioned'))).toEqual([true, true, false]);
  });

  test('badges say who somebody is', async () => {
    const { environment } = await enter();
    environment.socket.say(
      said('a', 'x', { user: { ...brook, isBot: true, authenticated: true, scopes: ['MODERATOR'] } }),
    );
    await pass();
    const head = within(row('a') as HTMLElement);
    for (const badge of ['Moderator', 'Bot', 'Signed in']) expect(head.getByText(badge)).toBeTruthy();
  });

  test('coming and new names are told, going is not', async () => {
    const { environment } = await enter();
    environment.socket.say(
      { type: 'USER_JOINED', id: 'j', user: brook },
      { type: 'NAME_CHANGE', id: 'n', oldName: 'brook', user: { ...brook, displayName: 'rill' } },
      { type: 'USER_PARTED', id: 'p', user: { ...brook, displayName: 'rill' } },
    );
    await pass();
    expect(rows().map((line) => line.textContent)).toEqual(['brook joined the chat.', 'brook is now known as rill.']);
  });

  test('many who join are one line that grows', async () => {
    const { environment } = await enter();
    const timestamp = '2026-01-02T12:00:00Z';
    const joined = (id: string) => {
      const user = { ...brook, id, displayName: id };
      return { type: 'USER_JOINED', id: `j-${id}`, timestamp, user };
    };
    environment.socket.say(joined('lark'), joined('wren'));
    await pass();
    expect(rows().map((line) => line.textContent)).toEqual(['lark and 1 other joined the chat.']);
    environment.socket.say(said('a', 'x', { timestamp }), joined('finch'), joined('wren'));
    await pass();
    expect(rows().map((line) => line.dataset.id)).toEqual(['j-lark', 'a']);
    expect(rows()[0]?.textContent).toBe('lark and 2 others joined the chat.');
  });

  test('in a crowd nobody is told who joins', async () => {
    const { environment, setCrowded } = await enter();
    setCrowded(true);
    environment.socket.say({ type: 'USER_JOINED', id: 'j', user: brook }, said('a'));
    await pass();
    expect(rows().map((line) => line.dataset.id)).toEqual(['a']);
    setCrowded(false);
    environment.socket.say({ type: 'USER_JOINED', id: 'k', user: { ...brook, id: 'dew', displayName: 'dew' } });
    await pass();
    expect(rows().map((line) => line.dataset.id)).toEqual(['a', 'k']);
  });

  test('only a bounded number is in the page, the newest', async () => {
    const { environment } = await enter();
    for (let batch = 0; batch < 20; batch += 1) {
      environment.socket.say(...Array.from({ length: 100 }, (_, index) => said(`${batch}-${index}`)));
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
      const { environment } = await enter();
      const { element, place } = scroller(1_000);
      environment.socket.say(said('a'));
      await pass();
      expect(place.top).toBe(500);
      place.height = 1_300;
      fireEvent.scroll(element);
      expect(place.top).toBe(800);
    });

    test('it stands still for those who scrolled up, and counts', async () => {
      const { environment } = await enter();
      const { element, place } = scroller(1_000);
      environment.socket.say(said('a'));
      await pass();
      element.scrollTop = 200;
      fireEvent.scroll(element);
      environment.socket.say(said('b'), said('c'));
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
    const { environment } = await enter({ history: [said('old')] });
    environment.socket.say(said('new', '<p>hello <em>you</em></p>'));
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
    const { environment } = await enter();
    environment.socket.say(said('a'), said('b'));
    await pass();
    point('over', row('a'), { clientX: 290, clientY: 200 });
    const button = replyTo('a') as HTMLButtonElement;
    point('over', button, here);
    return { environment, button };
  };

  test('stay while new lines move the list under a pointer that rests', async () => {
    const { environment, button } = await pointAt();
    environment.socket.say(said('c'));
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

describe('a finger on a line', () => {
  /** jsdom has no events of pointers. */
  const touch = (element: Element | null, type: string) => {
    const event = new MouseEvent(`pointer${type}`, { bubbles: type !== 'leave' });
    Object.defineProperty(event, 'pointerType', { value: 'touch' });
    element?.dispatchEvent(event);
  };
  const tap = (element: Element | null) => {
    for (const type of ['over', 'down', 'up', 'out']) touch(element, type);
    touch(document.querySelector('.chat-lines'), 'leave');
    if (element) fireEvent.click(element);
  };
  const reply = () => screen.queryByRole('button', { name: 'Reply to brook' });

  test('shows what can be done with it until another place is touched', async () => {
    const { environment, room } = await enter();
    environment.socket.say(said('a'), said('b'));
    await pass();
    for (const type of ['over', 'down', 'out', 'leave']) touch(row('a'), type);
    expect(reply(), 'a finger that scrolls').toBeNull();
    tap(row('a'));
    expect(row('a')?.contains(reply())).toBe(true);
    tap(row('b'));
    expect(row('b')?.contains(reply())).toBe(true);
    tap(reply());
    expect(room.replyTo()?.id).toBe('b');
    expect(reply()).toBeNull();
    tap(row('a'));
    touch(field(), 'down');
    expect(reply()).toBeNull();
  });
});

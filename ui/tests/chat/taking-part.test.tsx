import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { describe, expect, test, vi } from 'vitest';
import { enSaid } from '../../src/i18n/en.said.ts';
import { addTexts } from '../../src/i18n/index.ts';
import { answerWith } from '../helpers.ts';
import { enter, field, goOnByEvents, pass, press, row, rows, type, useChat } from './chat-kit.tsx';
import { brook, greeting, me, said } from './fakes.ts';

useChat();

describe('writing', () => {
  test('Enter sends and empties the field, Shift+Enter does not', async () => {
    const { environment } = await enter();
    type('hello');
    press('Enter', { shiftKey: true });
    await pass();
    expect(environment.socket.sent).toEqual([]);
    press('Enter');
    await pass();
    expect(environment.socket.sent).toEqual([{ type: 'CHAT', body: 'hello' }]);
    expect(field().value).toBe('');
  });

  test('the Enter that ends a composed character is not meant for us', async () => {
    const { environment } = await enter();
    type('にほん');
    press('Enter', { isComposing: true });
    await pass();
    expect(environment.socket.sent).toEqual([]);
  });

  test('nothing but spaces is not sent, and neither is too much', async () => {
    const { environment } = await enter();
    type('   ');
    press('Enter');
    type('x'.repeat(501));
    press('Enter');
    await pass();
    expect(environment.socket.sent).toEqual([]);
    expect(document.querySelector('.chat-counter')?.textContent).toBe('-1');
    expect(field().value).toHaveLength(501);
  });

  test('an answer carries the id, and Escape lets go of it', async () => {
    const { environment } = await enter();
    environment.socket.say(said('asked', '<p>who is there?</p>'));
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
    expect(environment.socket.sent).toEqual([{ type: 'CHAT', body: 'me', inReplyTo: 'asked' }]);
    expect(document.querySelector('.chat-replying')).toBeNull();
  });

  test('names are completed by keyboard', async () => {
    const { environment } = await enter();
    environment.socket.say(said('a'), said('b', 'x', { user: { ...brook, id: 'dew', displayName: 'brave-dew' } }));
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
    const { environment } = await enter();
    environment.socket.say(said('a'));
    await pass();
    type('@br');
    press('Escape');
    expect(screen.queryByRole('option')).toBeNull();
    press('Enter');
    await pass();
    expect(environment.socket.sent).toEqual([{ type: 'CHAT', body: '@br' }]);
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
    const { environment } = await enter({ config: { chatSlowModeSeconds: 5 } });
    type('one');
    press('Enter');
    await pass();
    type('two');
    press('Enter');
    await pass();
    expect(environment.socket.sent).toHaveLength(1);
    expect(screen.getByText('You can write again in 0:05')).toBeTruthy();
    await pass(5_000);
    press('Enter');
    await pass();
    expect(environment.socket.sent).toHaveLength(2);
  });

  test('where one writes it says that messages are kept with the recording, and only while they are', async () => {
    const note = 'Messages are kept with the recording of the stream.';
    await enter();
    expect(screen.queryByText(note)).toBeNull();
    cleanup();
    await enter({ config: { chatRecorded: true } });
    const said = screen.getByText(note);
    // Whoever does not see it hears it with the field.
    expect(field().getAttribute('aria-describedby')).toBe(said.parentElement?.id);
  });

  test('a timeout is told, counts down, holds Enter back, and its end is told', async () => {
    const { environment } = await enter();
    environment.socket.say({ ...greeting, id: 'g2', mutedForSeconds: 62 });
    await pass();
    expect(rows().at(-1)?.textContent).toBe('A moderator has timed you out.');
    expect(screen.getByText('You can write again in 1:02')).toBeTruthy();
    type('hello?');
    press('Enter');
    await pass(10_000);
    expect(environment.socket.sent).toEqual([]);
    expect(field().value).toBe('hello?');
    expect(screen.getByText('You can write again in 0:52')).toBeTruthy();
    await pass(52_000);
    expect(rows().at(-1)?.textContent).toBe('Your timeout is over. You can write again.');
    expect(screen.queryByText(/You can write again in/)).toBeNull();
    press('Enter');
    await pass();
    expect(environment.socket.sent).toHaveLength(1);
  });

  test('a timeout that is lifted is over at once, and said to be', async () => {
    const { environment } = await enter();
    environment.socket.say({ ...greeting, id: 'g2', mutedForSeconds: 600 });
    await pass();
    environment.socket.say({ ...greeting, id: 'g3' });
    await pass();
    expect(rows().map((line) => line.textContent)).toEqual([
      'A moderator has timed you out.',
      'Your timeout was lifted. You can write again.',
    ]);
    expect(screen.queryByText(/You can write again in/)).toBeNull();
  });

  test('what is left of slow mode is known after a reload, and a longer timeout counts more', async () => {
    const { environment } = await enter();
    environment.socket.say({ ...greeting, id: 'g2', slowModeForSeconds: 12 });
    await pass();
    expect(screen.getByText('You can write again in 0:12')).toBeTruthy();
    const refusal = { type: 'CHAT_ACTION', id: 'n', body: 'no', notice: 'muted', retryAfterSeconds: 30 };
    environment.socket.say(refusal);
    await pass();
    expect(screen.getByText('You can write again in 0:30')).toBeTruthy();
  });

  test('slow mode that is turned off holds nobody back any more, a flood still does', async () => {
    const { environment } = await enter();
    environment.socket.say({ ...greeting, id: 'g2', slowModeForSeconds: 300 });
    await pass();
    expect(screen.getByText('You can write again in 5:00')).toBeTruthy();
    environment.socket.say({ ...greeting, id: 'g3' });
    await pass();
    expect(screen.queryByText(/You can write again in/)).toBeNull();
    environment.socket.say({ type: 'CHAT_ACTION', id: 'n', body: 'no', notice: 'flood' });
    environment.socket.say({ ...greeting, id: 'g4' });
    await pass();
    expect(screen.getByText('You can write again in 0:10')).toBeTruthy();
  });

  test('a refused line says for which word, in the language of the page, as text', async () => {
    const { environment } = await enter();
    await addTexts({ en: () => enSaid });
    const refusal = { type: 'CHAT_ACTION', id: 'n', body: '<p>No.</p>', notice: 'refused' };
    environment.socket.say({ ...refusal, code: 'blocked-word', params: { word: '<b>turnip' } });
    environment.socket.say({ ...refusal, id: 'n2', code: 'from-tomorrow', params: {} });
    await pass();
    expect(row('n')?.textContent).toBe('Your message contains a blocked word: “<b>turnip”.');
    expect(row('n2')?.textContent).toBe('No.');
  });

  test('a line refused for slow mode comes back into the field', async () => {
    const { environment } = await enter();
    type('too fast');
    press('Enter');
    await pass();
    environment.socket.say({ type: 'CHAT_ACTION', id: 'n', body: 'Slow.', notice: 'slow-mode', retryAfterSeconds: 7 });
    await pass();
    expect(field().value).toBe('too fast');
    expect(screen.getByText('You can write again in 0:07')).toBeTruthy();
  });

  test('a line that nobody may have heard comes back into the field', async () => {
    const { environment } = await enter();
    type('into the void');
    press('Enter');
    await pass();
    environment.socket.drop();
    await pass();
    expect(field().value).toBe('into the void');
    expect(screen.getByText('Connection lost, reconnecting…')).toBeTruthy();
  });

  test('what is written while a line is on its way stays, and the line comes back before it', async () => {
    const { environment, room } = await enter();
    environment.socket.say(said('asked'));
    await pass();
    fireEvent.focusIn(row('asked') as HTMLElement);
    fireEvent.click(screen.getByRole('button', { name: 'Reply to brook' }));
    type('first');
    press('Enter');
    await pass();
    expect(room.replyTo()).toBeUndefined();
    type('second');
    environment.socket.drop();
    await pass();
    expect(field().value).toBe('first\nsecond');
    expect(room.replyTo()?.id).toBe('asked');
  });

  test('what is typed on while a line waits for its turn is not taken away with it', async () => {
    const { environment } = await enter();
    type('one');
    press('Enter');
    await pass();
    type('two');
    press('Enter');
    await pass();
    type('two and three');
    environment.socket.say(said('mine', '<p>one</p>', { user: me }));
    await pass(1_000);
    expect(environment.socket.sent).toHaveLength(2);
    expect(field().value).toBe('and three');
  });

  test('of two lines on their way the one that is refused comes back', async () => {
    const { environment } = await enter({ user: { scopes: ['MODERATOR'] } });
    for (const text of ['one', 'two']) {
      type(text);
      press('Enter');
      await pass();
    }
    environment.socket.say(said('mine', '<p>one</p>', { user: me }));
    environment.socket.say({ type: 'CHAT_ACTION', id: 'n', body: '<p>No.</p>', notice: 'refused' });
    await pass();
    expect(field().value).toBe('two');
  });

  test('a line is there once, in whatever order it comes: as an event, in the history, again', async () => {
    const mine = said('mine', '<p>one</p>', { user: me });
    const { environment } = await enter({ history: [mine] });
    await goOnByEvents(environment);
    await pass();
    const posts: (() => void)[] = [];
    environment.postEvent = () => new Promise<void>((resolve) => posts.push(resolve));
    type('two');
    press('Enter');
    await pass(5_000);
    const next = said('next', '<p>two</p>', { user: me });
    environment.source.say(next);
    environment.source.say(mine);
    await pass();
    posts.pop()?.();
    environment.source.say(next);
    await pass(5_000);
    expect(rows().map((line) => line.dataset.id)).toEqual(['mine', 'next']);
    expect(field().value).toBe('');
  });

  test('a line from another tab is there once, and is no answer to the one on its way', async () => {
    const { environment } = await enter();
    type('from here');
    press('Enter');
    await pass();
    environment.socket.say(said('other', '<p>from the other tab</p>', { user: me }));
    await pass();
    expect(rows().map((line) => line.dataset.id)).toEqual(['other']);
    environment.socket.say({ type: 'CHAT_ACTION', id: 'n', body: '<p>No.</p>', notice: 'refused' });
    await pass();
    expect(field().value).toBe('from here');
  });

  test.each(['**loud** :smile: text', 'what a filter makes another text of'])(
    'a line that the server shows otherwise is not waited for: %s',
    async (text) => {
      const { environment, room } = await enter();
      type(text);
      press('Enter');
      await pass();
      environment.socket.say(said('mine', '<p><strong>loud</strong> text</p>', { user: me }));
      await pass(3_000);
      expect(room.isSending()).toBe(false);
      environment.socket.drop();
      await pass();
      expect(field().value).toBe('');
    },
  );

  test('a line that is on its way for long is said to be', async () => {
    const { environment } = await enter();
    type('hello?');
    press('Enter');
    await pass(1_000);
    expect(screen.queryByText('Sending…')).toBeNull();
    await pass(1_500);
    expect(screen.getByText('Sending…')).toBeTruthy();
    environment.socket.say(said('mine', '<p>hello?</p>', { user: me }));
    await pass();
    expect(screen.queryByText('Sending…')).toBeNull();
  });

  test('a line that came back, but had arrived, is taken out of the field again', async () => {
    const { environment } = await enter();
    environment.socket.say(said('before'));
    type('into the void');
    press('Enter');
    await pass();
    environment.socket.drop();
    await pass();
    expect(field().value).toBe('into the void');
    await pass(5_000);
    environment.socket.say(greeting, said('mine', '<p>into the void</p>', { user: me }));
    await pass();
    expect(field().value).toBe('');
  });

  test('over events, a line that is heard before it is known to be handed over is not waited for', async () => {
    const { environment, room } = await enter();
    await goOnByEvents(environment);
    await pass();
    const posts: (() => void)[] = [];
    environment.postEvent = () => new Promise<void>((resolve) => posts.push(resolve));
    const isHeard = async (text: string) => {
      type(text);
      press('Enter');
      await pass(5_000);
      environment.source.say(said(text, `<p>${text}</p>`, { user: me }));
      await pass();
      posts.pop()?.();
      await pass(5_000);
      return [field().value, room.isSending()];
    };
    expect(await isHeard('one')).toEqual(['', false]);

    type('two');
    press('Enter');
    await pass(5_000);
    environment.source.say({ type: 'CHAT_ACTION', id: 'n', body: '<p>No.</p>', notice: 'refused' });
    await pass();
    posts.pop()?.();
    await pass();
    expect([field().value, room.isSending()]).toEqual(['two', false]);
  });

  test('what the server says about slow mode goes when it is over', async () => {
    const { environment } = await enter();
    environment.socket.say({ type: 'CHAT_ACTION', id: 'n', body: 'Slow.', notice: 'slow-mode', retryAfterSeconds: 7 });
    await pass();
    expect(row('n')).not.toBeNull();
    await pass(8_000);
    expect(row('n')).toBeNull();
  });

  test('a line that was heard does not', async () => {
    const { environment } = await enter();
    type('heard');
    press('Enter');
    await pass();
    environment.socket.say(said('mine', '<p>heard</p>', { user: me }));
    await pass();
    environment.socket.drop();
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
    fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
    await vi.dynamicImportSettled();
    await pass();
    expect(screen.getByRole('dialog').textContent).toContain('Your site');
  });

  test('because of a ban, it says so and keeps the lines', async () => {
    const { environment } = await enter();
    environment.socket.say(said('a'), { type: 'ERROR_USER_DISABLED' });
    await pass();
    expect(screen.getByText('You were removed from this chat')).toBeTruthy();
    expect(rows()).toHaveLength(1);
  });
});

describe('one’s own menu', () => {
  test('changes name and colour', async () => {
    const { environment } = await enter();
    fireEvent.click(screen.getByRole('button', { name: 'Your menu: ada' }));
    fireEvent.click(screen.getByRole('menuitem', { name: 'Change name' }));
    await vi.dynamicImportSettled();
    await pass();
    fireEvent.input(screen.getByRole('textbox', { name: 'Name' }), { target: { value: 'ada of the brook' } });
    fireEvent.click(screen.getByRole('radio', { name: 'Colour 7' }));
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    await pass();
    expect(environment.socket.sent, 'the second one waits, or the server would mute us').toHaveLength(1);
    environment.socket.say(greeting);
    await pass(1_000);
    expect(environment.socket.sent).toEqual([
      { type: 'NAME_CHANGE', newName: 'ada of the brook' },
      { type: 'COLOR_CHANGE', newColor: 6 },
    ]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('a name that is refused keeps the dialog open, with the reason', async () => {
    const { environment } = await enter();
    await addTexts({ en: () => enSaid });
    fireEvent.click(screen.getByRole('button', { name: 'Your menu: ada' }));
    fireEvent.click(screen.getByRole('menuitem', { name: 'Change name' }));
    await vi.dynamicImportSettled();
    await pass();
    const name = screen.getByRole('textbox', { name: 'Name' });
    const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Save' });
    fireEvent.input(name, { target: { value: 'brook' } });
    fireEvent.click(save);
    await pass();
    expect(save.disabled).toBe(true);
    environment.socket.say({ type: 'CHAT_ACTION', id: 'n', body: '<p>No.</p>', notice: 'name', code: 'name-taken' });
    await pass();
    expect(document.querySelector('.field-error')?.textContent).toBe('That name is already taken.');
    fireEvent.input(name, { target: { value: 'river' } });
    fireEvent.click(save);
    await pass(4_000);
    environment.socket.say({ type: 'NAME_CHANGE', id: 'r', user: { ...me, displayName: 'river' }, oldName: 'ada' });
    await pass();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('a name is changed at once where the answer is here before the word that it was handed over', async () => {
    const { environment, room } = await enter();
    await goOnByEvents(environment);
    await pass();
    environment.postEvent = async () => {
      environment.source.say({ type: 'NAME_CHANGE', id: 'r', user: { ...me, displayName: 'river' }, oldName: 'ada' });
      await pass();
    };
    let isDone = false;
    void room.rename('river').then(() => {
      isDone = true;
    });
    await pass(1_000);
    expect(isDone).toBe(true);
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
  test('have a menu at each line, others do not', async () => {
    const { environment } = await enter();
    environment.socket.say(said('a'));
    await pass();
    fireEvent.focusIn(row('a') as HTMLElement);
    expect(screen.queryByRole('button', { name: 'Moderate brook' })).toBeNull();
    environment.socket.say({ ...greeting, user: { ...me, ...moderator } });
    await pass();
    expect(screen.getByRole('button', { name: 'Moderate brook' })).toBeTruthy();
  });
});

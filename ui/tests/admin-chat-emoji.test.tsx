import { cleanup, fireEvent, render, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Emojis } from '../src/admin/chat/Emojis.tsx';
import { Toasts } from '../src/design/toasts.tsx';
import { OK } from './admin-chat-fakes.ts';
import { answerWith, dialogsOpen, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

type Routes = Parameters<typeof answerWith>[0];

const smile = { name: 'smile', url: '/img/emoji/smile.svg', builtin: true };
const cat = { name: 'cat', url: '/img/emoji/cats/cat.png', pack: 'cats' };

function show(change: Routes = {}) {
  const routes: Routes = { 'GET /api/emoji': { body: [smile, cat] }, 'POST /api/admin/emoji/upload': OK, ...change };
  const { sent, fakeFetch } = answerWith(routes);
  vi.stubGlobal('fetch', fakeFetch);
  render(() => (
    <>
      <Emojis />
      <Toasts />
    </>
  ));
  const posted = () => sent.filter((request) => request.method === 'POST');
  return { sent, routes, posted };
}

const picture = (name: string, type = 'image/png') => new File(['picture'], name, { type });
const drop = (...files: File[]) =>
  fireEvent.drop(document.querySelector('.drop-zone') as Element, { dataTransfer: { files } });

describe('the shelf of emoji', () => {
  test('built-in ones are marked and cannot be deleted', async () => {
    show();
    await screen.findByText(':smile:');
    expect(screen.getByText('comes with the server')).toBeTruthy();
    expect(screen.queryByLabelText('Delete :smile:')).toBeNull();
    expect(screen.getByLabelText('Delete :cat:')).toBeTruthy();
  });

  test('one is deleted by its path after a question', async () => {
    const { routes, posted } = show({ 'POST /api/admin/emoji/delete': OK });
    fireEvent.click(await screen.findByLabelText('Delete :cat:'));
    expect(posted()).toEqual([]);
    routes['GET /api/emoji'] = { body: [smile] };
    const question = screen.getByText('Delete :cat:?').closest('dialog') as HTMLElement;
    fireEvent.click(within(question).getByText('Delete'));
    await vi.waitFor(() => expect(screen.queryByText(':cat:')).toBeNull());
    expect(posted()[0]?.body).toEqual({ name: 'cats/cat.png' });
  });

  test('is searched', async () => {
    show();
    await screen.findByText(':smile:');
    fireEvent.input(screen.getByLabelText('Search emoji'), { target: { value: 'ca' } });
    expect(screen.queryByText(':smile:')).toBeNull();
    fireEvent.input(screen.getByLabelText('Search emoji'), { target: { value: 'dog' } });
    expect(screen.getByText('No emoji has this name')).toBeTruthy();
  });
});

describe('uploading', () => {
  test('several dropped files are named after themselves and sent with their pack', async () => {
    const { posted } = show();
    drop(picture('Party Parrot.png'), picture('wave.gif', 'image/gif'));
    await screen.findByDisplayValue('Party-Parrot');
    fireEvent.input(screen.getByLabelText('Pack (optional)'), { target: { value: 'my birds' } });
    fireEvent.submit(screen.getByText('Upload 2 pictures').closest('form') as HTMLFormElement);
    await screen.findByText('2 emoji were added.');
    expect(posted().map((request) => request.body)).toEqual([
      { name: 'Party-Parrot.png', data: expect.stringMatching(/^data:image\/png;base64,/), pack: 'my-birds' },
      { name: 'wave.gif', data: expect.stringMatching(/^data:image\/gif;base64,/), pack: 'my-birds' },
    ]);
    expect(screen.queryByDisplayValue('wave')).toBeNull();
  });

  test('a refused one stays with the reason, can be renamed and sent again', async () => {
    const { routes, posted } = show({
      'POST /api/admin/emoji/upload': { status: 400, body: { success: false, message: 'there is a "cat" already' } },
    });
    const input = screen.getByLabelText<HTMLInputElement>('Choose pictures');
    Object.defineProperty(input, 'files', { value: [picture('cat.png')], configurable: true });
    fireEvent.change(input);
    const form = (await screen.findByText('Upload 1 picture')).closest('form') as HTMLFormElement;
    fireEvent.submit(form);
    await screen.findByText('there is a "cat" already');
    routes['POST /api/admin/emoji/upload'] = OK;
    fireEvent.input(screen.getByLabelText('Name of the emoji'), { target: { value: 'big cat' } });
    fireEvent.submit(form);
    await screen.findByText('The emoji was added.');
    expect(posted().map((request) => (request.body as { name: string }).name)).toEqual(['cat.png', 'big-cat.png']);
  });

  test('what is no picture is never sent', async () => {
    const { posted } = show();
    drop(picture('drawing.svg', 'image/svg+xml'), picture('fine.png'));
    await screen.findByText(/This is not a PNG/);
    fireEvent.submit(screen.getByText('Upload 1 picture').closest('form') as HTMLFormElement);
    await screen.findByText('The emoji was added.');
    expect(posted()).toHaveLength(1);
    expect(screen.getByText(/This is not a PNG/)).toBeTruthy();
  });
});

import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { createStore } from 'solid-js/store';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MarkdownArea } from '../src/design/setting/MarkdownArea.tsx';
import { apply, type Command, resultOf } from '../src/design/setting/markdown-commands.ts';
import { SettingField } from '../src/design/setting/SettingField.tsx';
import type { Setting } from '../src/wire.ts';
import { answerWith, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
afterEach(cleanup);

/** What a command makes of a text; brackets ⟦ ⟧ are the ends of the selection. */
function after(command: Command, written: string): string {
  const start = written.indexOf('⟦');
  const end = written.indexOf('⟧') - 1;
  const selection = { text: written.replace(/[⟦⟧]/g, ''), start, end };
  const change = apply(command, selection);
  const text = resultOf(selection, change);
  return `${text.slice(0, change.start)}⟦${text.slice(change.start, change.end)}⟧${text.slice(change.end)}`;
}

describe('the commands', () => {
  test.each<[Command, string, string]>([
    ['bold', 'a ⟦word⟧ here', 'a **⟦word⟧** here'],
    ['bold', 'a **⟦word⟧** here', 'a ⟦word⟧ here'],
    ['bold', 'a⟦ word ⟧here', 'a **⟦word⟧** here'],
    ['bold', '⟦⟧', '**⟦⟧**'],
    ['italic', '⟦word⟧', '*⟦word⟧*'],
    ['italic', '*⟦word⟧*', '⟦word⟧'],
    ['italic', '**⟦word⟧**', '***⟦word⟧***'],
    ['italic', '***⟦word⟧***', '**⟦word⟧**'],
    ['code', 'run ⟦make⟧', 'run `⟦make⟧`'],
    ['code', 'see ⟦a\nb⟧!', 'see \n```\n⟦a\nb\n⟧```\n!'],
    ['link', 'see ⟦the docs⟧', 'see [the docs](⟦https://⟧)'],
    ['link', '⟦https://a.example/b⟧', '[⟦⟧](https://a.example/b)'],
    ['link', '⟦⟧', '[](⟦https://⟧)'],
    ['heading', 'one\ntw⟦⟧o\nthree', 'one\n## tw⟦⟧o\nthree'],
    ['heading', '## tw⟦⟧o', 'tw⟦⟧o'],
    ['list', 'o⟦ne\ntw⟧o\nthree', '- o⟦ne\n- tw⟧o\nthree'],
    ['list', '- o⟦ne\n- tw⟧o', 'o⟦ne\ntw⟧o'],
    ['list', '⟦one\n⟧two', '- ⟦one\n⟧two'],
    ['quote', '⟦⟧', '> ⟦⟧'],
    ['quote', 'one\n⟦⟧\nthree', 'one\n> ⟦⟧\nthree'],
  ])('%s makes of %j %j', (command, written, expected) => {
    expect(after(command, written)).toBe(expected);
  });
});

describe('the editor', () => {
  function show(text: string) {
    const [value, setValue] = createSignal(text);
    const onDone = vi.fn();
    render(() => (
      <>
        <label for="about">About</label>
        <MarkdownArea id="about" value={value()} place="page" rows={3} onInput={setValue} onDone={onDone} />
      </>
    ));
    const area = screen.getByLabelText<HTMLTextAreaElement>('About');
    return { area, value, onDone };
  }

  test('has buttons and the usual keys, and selects what comes next', () => {
    const { area, value } = show('hello world');
    area.setSelectionRange(6, 11);
    fireEvent.click(screen.getByLabelText('Bold'));
    expect(value()).toBe('hello **world**');
    expect(area.value.slice(area.selectionStart, area.selectionEnd)).toBe('world');
    fireEvent.keyDown(area, { key: 'b', ctrlKey: true });
    expect(value()).toBe('hello world');
    fireEvent.keyDown(area, { key: 'k', metaKey: true });
    expect(value()).toBe('hello [world](https://)');
    expect(area.value.slice(area.selectionStart, area.selectionEnd)).toBe('https://');
    fireEvent.keyDown(area, { key: 'b' });
    expect(value()).toBe('hello [world](https://)');
  });

  test('is one stop for the Tab key, and arrows go from button to button', () => {
    show('');
    const buttons = screen.getAllByRole('button');
    const stops = () =>
      buttons.filter((button) => button.tabIndex === 0).map((button) => button.ariaLabel ?? button.textContent);
    expect(buttons.filter((button) => button.getAttribute('tabindex') === '0')).toHaveLength(1);
    buttons[0]?.focus();
    fireEvent.keyDown(buttons[0] as Element, { key: 'ArrowRight' });
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Italic');
    fireEvent.keyDown(buttons[1] as Element, { key: 'ArrowLeft' });
    fireEvent.keyDown(buttons[0] as Element, { key: 'ArrowLeft' });
    expect(document.activeElement?.textContent).toBe('Preview');
    expect(stops()).toHaveLength(1);
  });

  test('shows what the server makes of the draft, and goes back to it', async () => {
    const { sent, fakeFetch } = answerWith({
      'POST /api/admin/markdown': { body: { html: '<p>hello <strong>world</strong></p>' } },
    });
    vi.stubGlobal('fetch', fakeFetch);
    show('hello **world**');
    const button = screen.getByText('Preview');
    fireEvent.click(button);
    expect((await screen.findByText('world')).tagName).toBe('STRONG');
    expect(sent[0]?.body).toEqual({ text: 'hello **world**', place: 'page' });
    expect(button.getAttribute('aria-pressed')).toBe('true');
    expect(screen.getByLabelText<HTMLButtonElement>('Bold').disabled).toBe(true);
    fireEvent.click(button);
    expect(screen.queryByText('world')).toBeNull();
  });

  test('a link in the preview leads nowhere, and a failed preview says so', async () => {
    const routes: Parameters<typeof answerWith>[0] = {
      'POST /api/admin/markdown': { body: { html: '<p><a href="https://a.example">there</a></p>' } },
    };
    vi.stubGlobal('fetch', answerWith(routes).fakeFetch);
    show('x');
    fireEvent.click(screen.getByText('Preview'));
    expect(fireEvent.click(await screen.findByText('there'))).toBe(false);
    fireEvent.click(screen.getByText('Preview'));
    delete routes['POST /api/admin/markdown'];
    fireEvent.click(screen.getByText('Preview'));
    expect(await screen.findByText('The preview could not be made.')).toBeTruthy();
  });
});

describe('as a setting', () => {
  function show(change: Partial<Setting>) {
    const [store, setStore] = createStore({ setting: setting(change) });
    const write = vi.fn(async (value: unknown) => setStore('setting', 'value', () => value));
    render(() => <SettingField setting={store.setting} label="Name" help="" write={write} />);
    return write;
  }
  const field = () => screen.getByLabelText<HTMLTextAreaElement>('Name');

  test('Markdown is saved when it is left or with Ctrl-Enter, and previewed for its place', async () => {
    const { sent, fakeFetch } = answerWith({ 'POST /api/admin/markdown': { body: { html: '<p>hi</p>' } } });
    vi.stubGlobal('fetch', fakeFetch);
    const write = show({ key: 'chat_welcome_message', path: 'welcomemessage', kind: 'markdown', value: 'hi' });
    fireEvent.input(field(), { target: { value: 'hi **you**' } });
    fireEvent.keyDown(field(), { key: 'Enter', ctrlKey: true });
    await vi.waitFor(() => expect(write).toHaveBeenCalledExactlyOnceWith('hi **you**'));
    fireEvent.blur(field());
    expect(write).toHaveBeenCalledTimes(1);
    field().focus();
    fireEvent.input(field(), { target: { value: 'hi *you*' } });
    fireEvent.click(screen.getByText('Preview'));
    await screen.findByText('hi');
    expect(sent[0]?.body).toEqual({ text: 'hi *you*', place: 'chat' });
    expect(write).toHaveBeenLastCalledWith('hi *you*');
  });

  test('the summary is a text that wraps, stays one line, and counts', async () => {
    const write = show({ key: 'summary', path: 'serversummary', kind: 'text', value: 'A stream.', maxLength: 500 });
    expect(field().tagName).toBe('TEXTAREA');
    expect(screen.getByText('9 of 500 characters')).toBeTruthy();
    fireEvent.input(field(), { target: { value: 'One. \n Two 🎣.' } });
    expect(field().value).toBe('One. Two 🎣.');
    expect(screen.getByText('11 of 500 characters')).toBeTruthy();
    fireEvent.keyDown(field(), { key: 'Enter' });
    await vi.waitFor(() => expect(write).toHaveBeenCalledExactlyOnceWith('One. Two 🎣.'));
    fireEvent.input(field(), { target: { value: 'Other' } });
    fireEvent.keyDown(field(), { key: 'Escape' });
    expect(field().value).toBe('One. Two 🎣.');
  });
});

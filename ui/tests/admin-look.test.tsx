import { cleanup, fireEvent, render, screen, within } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advancedOf, presetOf, withAdvanced, withColour, withPreset } from '../src/admin/look/draft.ts';
import { LookEditor, poorlyReadable } from '../src/admin/look/LookEditor.tsx';
import { dress } from '../src/admin/look/Preview.tsx';
import type { Look } from '../src/admin/look/palette.ts';
import { presetLook } from '../src/admin/look/presets.ts';
import { Toasts } from '../src/design/toasts.tsx';
import { answerWith, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
afterEach(cleanup);

const TEXT = '--theme-color-text';

describe('a draft of the look', () => {
  test('does not set what is as it comes', () => {
    const changed = withColour({}, TEXT, { light: '#111111', dark: '#eeeeee' });
    expect(changed).toEqual({ [TEXT]: 'light-dark(#111111, #eeeeee)' });
    expect(withColour(changed, TEXT, { light: '#10292d', dark: '#e4f0ef' })).toEqual({});
  });

  test('takes a preset in place of another and keeps what presets leave alone', () => {
    const mine = { '--theme-radius': '0', '--theme-color-live': '#ff0000' };
    const dusk = withPreset({ ...mine, ...presetLook('ink') }, 'dusk');
    expect(dusk).toEqual({ ...mine, ...presetLook('dusk') });
    expect(presetOf(dusk)).toBe('dusk');
    expect(presetOf(withColour(dusk, TEXT, { light: '#000000', dark: '#ffffff' }))).toBeUndefined();
    expect(withPreset(dusk, 'river')).toEqual(mine);
  });

  test('leaves to those who write CSS what has no pickers', () => {
    const look = { [TEXT]: '#111111', '--theme-color-action': 'var(--brand)', '--brand': 'teal' };
    expect(advancedOf(look)).toEqual({ '--theme-color-action': 'var(--brand)', '--brand': 'teal' });
    expect(withAdvanced(look, { '--brand': 'navy' })).toEqual({ [TEXT]: '#111111', '--brand': 'navy' });
  });
});

test('a page is dressed in the draft alone, whatever is saved', () => {
  const root = document.createElement('html');
  const value = (name: string) => root.style.getPropertyValue(name);
  dress(root, { [TEXT]: '#111111', 'theme-radius': '0' }, 'dark', {});
  expect([root.dataset.theme, value(TEXT), value('--theme-radius')]).toEqual(['dark', '#111111', '0']);
  dress(root, {}, 'light', { [TEXT]: '#111111', 'theme-radius': '0' });
  expect(value(TEXT)).toBe('light-dark(#10292d, #e4f0ef)');
  expect([root.dataset.theme, value('--theme-radius')]).toEqual(['light', '']);
});

describe('the look editor', () => {
  function show(saved: Look = {}) {
    const [value, setValue] = createSignal<unknown>(saved);
    const commits: unknown[] = [];
    const onCommit = (look: unknown) => {
      commits.push(look);
      setValue(look);
    };
    const { container } = render(() => (
      <LookEditor id="look" value={value()} disabled={false} invalid={false} describedBy="help" onCommit={onCommit} />
    ));
    const row = (variable: string) => {
      const found = container.querySelector<HTMLElement>(`[data-variable="${variable}"]`);
      if (!found) throw new Error(`no row for ${variable}`);
      return found;
    };
    return { commits, row, container };
  }
  const publish = () => screen.getByText<HTMLButtonElement>('Publish this look');

  test('publishes a changed colour with its partner of the other theme', () => {
    const { commits, row } = show();
    expect(publish().disabled).toBe(true);
    fireEvent.input(within(row(TEXT)).getByLabelText('Text: Light'), { target: { value: '#222222' } });
    expect(commits).toEqual([]);
    fireEvent.click(publish());
    expect(commits).toEqual([{ [TEXT]: 'light-dark(#222222, #e4f0ef)' }]);
    expect(publish().disabled).toBe(true);
  });

  test('says what is published and what is a draft', async () => {
    const { row } = show();
    render(() => <Toasts />);
    expect(screen.getByText('This is the look of your page.')).toBeTruthy();
    fireEvent.input(within(row(TEXT)).getByLabelText('Text: Light'), { target: { value: '#222222' } });
    expect(screen.getByText('Not published: only you see this.')).toBeTruthy();
    fireEvent.click(publish());
    expect((await screen.findAllByText('Your page has this look now.')).length).toBeGreaterThan(0);
    expect(screen.getByText('This is the look of your page.')).toBeTruthy();
  });

  test('warns of what is hard to read, with the ratio', () => {
    const { row } = show();
    expect(row(TEXT).textContent).not.toContain('below');
    fireEvent.input(within(row(TEXT)).getByLabelText('Text: Light'), { target: { value: '#999999' } });
    expect(row(TEXT).querySelector('[data-poor]')?.textContent).toContain('2.4 : 1');
    screen.getByText(/Hard to read for many .*: Text\./);
    expect(poorlyReadable({ [TEXT]: '#999999' })).toEqual(['look.colour.text']);
    fireEvent.click(within(row(TEXT)).getByLabelText('Reset: Text'));
    expect(row(TEXT).querySelector('[data-poor]')).toBeNull();
  });

  test('takes a code that is typed, and gives back one that is none', () => {
    const { row } = show();
    const code = within(row(TEXT)).getByLabelText<HTMLInputElement>('Text: Dark, as a code');
    fireEvent.change(code, { target: { value: '#ABC' } });
    expect(within(row(TEXT)).getByLabelText<HTMLInputElement>('Text: Dark').value).toBe('#aabbcc');
    fireEvent.change(code, { target: { value: 'bluish' } });
    expect(code.value).toBe('#aabbcc');
  });

  test('a preset is tried out, discarded, and published', () => {
    const { commits } = show({ '--brand': 'teal' });
    fireEvent.click(screen.getByLabelText('Forest'));
    expect(screen.getByLabelText<HTMLInputElement>('Forest').checked).toBe(true);
    fireEvent.click(screen.getByText('Discard changes'));
    expect(screen.getByLabelText<HTMLInputElement>('River').checked).toBe(true);
    fireEvent.click(screen.getByLabelText('Ink'));
    fireEvent.click(publish());
    expect(commits).toEqual([{ '--brand': 'teal', ...presetLook('ink') }]);
  });

  test('everything is reset after a second press', () => {
    const { commits } = show({ [TEXT]: '#111111', '--brand': 'teal' });
    fireEvent.click(screen.getByText('Reset everything'));
    expect(publish().disabled).toBe(true);
    fireEvent.click(screen.getByText('Really reset everything?'));
    fireEvent.click(publish());
    expect(commits).toEqual([{}]);
  });

  test('a value that is no colour is said and left to the variables', () => {
    const { row, container } = show({ [TEXT]: 'var(--brand)' });
    expect(row(TEXT).textContent).toContain('Set to var(--brand); see Advanced.');
    const names = [...container.querySelectorAll<HTMLInputElement>('.look-advanced .pair input[list]')];
    expect(names.map((input) => input.value)).toEqual([TEXT]);
  });

  test('a header picture is uploaded, becomes part of the draft and can be taken away', async () => {
    const { sent, fakeFetch } = answerWith({
      'POST /api/admin/config/headerpicture': { body: { success: true, message: 'ok' } },
    });
    vi.stubGlobal('fetch', fakeFetch);
    const { commits } = show();
    const file = new File(['x'], 'top.png', { type: 'image/png' });
    fireEvent.change(screen.getByLabelText('Header picture: Choose a picture'), { target: { files: [file] } });
    const remove = await screen.findByText('Remove the picture');
    expect(sent[0]?.body).toEqual({ value: `data:image/png;base64,${btoa('x')}` });
    fireEvent.click(publish());
    expect(commits).toEqual([{ '--theme-header-picture': expect.stringMatching(/^url\(\/headerpicture\?v=\w+\)$/) }]);
    fireEvent.click(remove);
    fireEvent.click(publish());
    expect(commits[1]).toEqual({});
  });
});

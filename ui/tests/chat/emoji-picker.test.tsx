import { cleanup, fireEvent, render, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { chooseLanguage } from '../../src/i18n/index.ts';
import { EmojiPicker } from '../../src/viewer/chat/EmojiPicker.tsx';
import { speakEnglish } from '../helpers.ts';

const own = [
  { name: 'wave', url: '/1' },
  { name: 'party', url: '/2', pack: 'fun' },
];

beforeEach(async () => {
  localStorage.clear();
  await speakEnglish();
});
afterEach(cleanup);

async function open() {
  const onPick = vi.fn<(text: string, isLast: boolean) => void>();
  const onClose = vi.fn<() => void>();
  render(() => <EmojiPicker emoji={own} onPick={onPick} onClose={onClose} />);
  await vi.dynamicImportSettled();
  return { onPick, onClose };
}

const field = () => screen.getByRole('searchbox', { name: 'Search emoji' });
const grid = () => document.querySelector<HTMLElement>('.chat-picker-packs') as HTMLElement;
const headings = () => screen.getAllByRole('heading').map(({ textContent }) => textContent);
const stops = () => [...grid().querySelectorAll('button[tabindex="0"]')];
const focused = () => document.activeElement?.getAttribute('aria-label');
const press = (key: string, more: KeyboardEventInit = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });

describe('the emoji picker', () => {
  test('has the server’s pictures before Unicode’s emoji, in groups with names', async () => {
    await open();
    expect(headings().slice(0, 3)).toEqual(['fun', 'Smileys & emotion', 'People & body']);
    expect(headings()).toHaveLength(10);
    expect(within(grid()).getByRole('button', { name: 'party popper' }).textContent).toBe('🎉');
  });

  test('a search lists what fits best first, and Enter takes it', async () => {
    const { onPick } = await open();
    field().focus();
    fireEvent.input(field(), { target: { value: 'tada' } });
    expect(within(grid()).getAllByRole('button')).toHaveLength(1);
    press('Enter');
    expect(onPick).toHaveBeenCalledWith('🎉', true);
  });

  test('Enter in an empty search takes nothing', async () => {
    const { onPick } = await open();
    field().focus();
    press('Enter');
    expect(onPick).not.toHaveBeenCalled();
  });

  test('the arrows move through the grid, which is one stop for Tab', async () => {
    await open();
    field().focus();
    press('ArrowDown');
    expect(focused()).toBe('wave');
    press('ArrowRight');
    press('ArrowRight');
    expect(focused()).toBe('grinning face');
    expect(stops()).toEqual([document.activeElement]);
    press('ArrowLeft');
    expect(focused()).toBe('party');
    press('PageDown');
    expect(focused()).toBe('grinning face');
    press('Home');
    expect(focused()).toBe('wave');
    press('End');
    expect(document.activeElement?.textContent).toBe('🏴󠁧󠁢󠁷󠁬󠁳󠁿');
    expect(stops()).toEqual([document.activeElement]);
  });

  test('the row of groups leads to the first emoji of one', async () => {
    await open();
    const row = screen.getByRole('toolbar', { name: 'Emoji groups' });
    within(row).getByRole('button', { name: 'fun' }).focus();
    press('ArrowRight');
    expect(focused()).toBe('Smileys & emotion');
    fireEvent.click(within(row).getByRole('button', { name: 'Food & drink' }));
    expect(focused()).toBe('grapes');
  });

  test('with Shift another one may follow', async () => {
    const { onPick } = await open();
    fireEvent.click(within(grid()).getByRole('button', { name: 'wave' }), { shiftKey: true });
    expect(onPick).toHaveBeenCalledWith(':wave:', false);
  });

  test('what was used is there first the next time, with its name', async () => {
    await open();
    fireEvent.click(within(grid()).getByRole('button', { name: 'grapes' }));
    fireEvent.click(within(grid()).getByRole('button', { name: 'wave' }));
    expect(headings()).not.toContain('Recently used');
    cleanup();
    await open();
    expect(headings()[0]).toBe('Recently used');
    const recent = grid().querySelector<HTMLElement>('[data-group="recent"]') as HTMLElement;
    expect(
      within(recent)
        .getAllByRole('button')
        .map((one) => one.getAttribute('aria-label')),
    ).toEqual(['wave', 'grapes']);
  });

  test('letters go to the search instead of to the player', async () => {
    const heard = vi.fn();
    document.addEventListener('keydown', heard);
    await open();
    field().focus();
    press('ArrowDown');
    heard.mockClear();
    press('m');
    expect(document.activeElement).toBe(field());
    expect(heard).not.toHaveBeenCalled();
    document.removeEventListener('keydown', heard);
  });

  test('Escape closes it', async () => {
    const { onClose } = await open();
    field().focus();
    press('ArrowDown');
    press('Escape');
    expect(onClose).toHaveBeenCalledOnce();
  });

  test('in German the names are German', async () => {
    await chooseLanguage('de');
    await open();
    expect(headings()).toContain('Essen & Trinken');
    expect(within(grid()).getByRole('button', { name: 'Trauben' }).textContent).toBe('🍇');
  });
});

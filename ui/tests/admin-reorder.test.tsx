import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { moved, ReorderList } from '../src/admin/lists/ReorderList.tsx';
import { speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
afterEach(cleanup);

interface Song {
  title: string;
}

function showSongs(titles: string[], disabled = false) {
  const [songs, setSongs] = createSignal<Song[]>(titles.map((title) => ({ title })));
  const edited: number[] = [];
  const removed: number[] = [];
  render(() => (
    <ReorderList
      rowClass="song-row"
      items={songs()}
      nameOf={({ title }) => title}
      disabled={disabled}
      onMove={(from, to) => setSongs(moved(songs(), from, to))}
      onEdit={(index) => edited.push(index)}
      onRemove={(index) => removed.push(index)}
    >
      {(song) => <strong>{song.title}</strong>}
    </ReorderList>
  ));
  const order = () => [...document.querySelectorAll('.song-row strong')].map((title) => title.textContent);
  return { order, edited, removed };
}
const rowOf = (title: string) => screen.getByText(title).closest('li') as HTMLElement;
const button = (name: string) => screen.getByLabelText<HTMLButtonElement>(name);

describe('a list in an order of its own', () => {
  test('moves a row by its buttons, says where it is now, and keeps the focus on the button', () => {
    const { order } = showSongs(['Rain', 'Reed', 'Stone']);
    fireEvent.click(button('Move down: Rain'));
    expect(order()).toEqual(['Reed', 'Rain', 'Stone']);
    expect(screen.getByRole('status').textContent).toBe('Rain is now number 2 of 3.');
    expect(document.activeElement).toBe(button('Move down: Rain'));
  });

  test('moves the focus to the other button where the first one has nowhere left to go', () => {
    const { order } = showSongs(['Rain', 'Reed']);
    fireEvent.click(button('Move up: Reed'));
    expect(order()).toEqual(['Reed', 'Rain']);
    expect(button('Move up: Reed').disabled).toBe(true);
    expect(document.activeElement).toBe(button('Move down: Reed'));
  });

  test('moves a row by dragging', () => {
    const { order } = showSongs(['Rain', 'Reed', 'Stone']);
    fireEvent.dragStart(rowOf('Stone'));
    expect(rowOf('Stone').dataset.dragged).toBe('true');
    fireEvent.dragOver(rowOf('Rain'));
    fireEvent.drop(rowOf('Rain'));
    expect(order()).toEqual(['Stone', 'Rain', 'Reed']);
    expect(screen.getByRole('status').textContent).toBe('Stone is now number 1 of 3.');
  });

  test('leaves the order alone when a row is dropped on itself or something else is dropped', () => {
    const { order } = showSongs(['Rain', 'Reed']);
    fireEvent.dragStart(rowOf('Rain'));
    fireEvent.drop(rowOf('Rain'));
    fireEvent.drop(rowOf('Reed'));
    expect(order()).toEqual(['Rain', 'Reed']);
    expect(screen.getByRole('status').textContent).toBe('');
  });

  test('says which row is to be edited or removed', () => {
    const { edited, removed } = showSongs(['Rain', 'Reed']);
    fireEvent.click(button('Edit: Reed'));
    fireEvent.click(button('Remove: Rain'));
    expect([edited, removed]).toEqual([[1], [0]]);
  });

  test('cannot be changed while it is disabled', () => {
    showSongs(['Rain', 'Reed'], true);
    for (const name of ['Move down: Rain', 'Move up: Reed', 'Edit: Rain', 'Remove: Rain'])
      expect(button(name).disabled).toBe(true);
    expect(rowOf('Rain').draggable).toBe(false);
  });

  test.each([
    [0, 2, ['b', 'c', 'a', 'd']],
    [3, 0, ['d', 'a', 'b', 'c']],
  ])('moving %i to %i keeps everybody else in order', (from, to, after) => {
    expect(moved(['a', 'b', 'c', 'd'], from, to)).toEqual(after);
  });
});

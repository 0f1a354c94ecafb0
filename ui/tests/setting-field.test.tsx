import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { createStore } from 'solid-js/store';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SettingField } from '../src/design/setting/SettingField.tsx';
import type { Setting } from '../src/wire.ts';
import { deferred, dialogsOpen, setting, speakEnglish } from './helpers.ts';

beforeEach(speakEnglish);
beforeEach(dialogsOpen);
afterEach(cleanup);

/** A field on a store that takes over what was saved, as the settings page has it. */
function show(change: Partial<Setting>, write: (value: unknown) => Promise<void> = async () => {}) {
  const [store, setStore] = createStore({ setting: setting(change) });
  const spy = vi.fn(async (value: unknown) => {
    await write(value);
    setStore('setting', 'value', () => value);
  });
  render(() => <SettingField setting={store.setting} label="Name" help="What it is." write={spy} />);
  return spy;
}

const field = () => screen.getByLabelText<HTMLInputElement>('Name');
const state = () => document.querySelector('.setting')?.getAttribute('data-state');

describe('a text setting', () => {
  test('saves on Enter, says it is saving, then shows a tick', async () => {
    const answer = deferred<void>();
    const write = show({}, () => answer.promise);
    fireEvent.input(field(), { target: { value: 'Harbour' } });
    fireEvent.keyDown(field(), { key: 'Enter' });
    expect(write).toHaveBeenCalledExactlyOnceWith('Harbour');
    expect(screen.getByText('Saving…')).toBeTruthy();
    answer.resolve();
    expect(await screen.findByText('Saved')).toBeTruthy();
    expect(state()).toBe('saved');
  });

  test('saves when it is left, but only if something changed', async () => {
    const write = show({});
    fireEvent.blur(field());
    expect(write).not.toHaveBeenCalled();
    fireEvent.input(field(), { target: { value: 'Harbour' } });
    fireEvent.blur(field());
    await screen.findByText('Saved');
    fireEvent.blur(field());
    expect(write).toHaveBeenCalledTimes(1);
  });

  test('keeps the text and shows the server’s reason when it is refused, and can try again', async () => {
    const write = show({}, () => Promise.reject(new Error('the name is too long')));
    fireEvent.input(field(), { target: { value: 'Harbour' } });
    fireEvent.blur(field());
    expect((await screen.findByText('the name is too long')).getAttribute('role')).toBe('alert');
    expect(field().value).toBe('Harbour');
    expect(field().getAttribute('aria-invalid')).toBe('true');
    fireEvent.keyDown(field(), { key: 'Enter' });
    expect(write).toHaveBeenCalledTimes(2);
  });

  test('takes a change back on Escape', () => {
    const write = show({});
    fireEvent.input(field(), { target: { value: 'Harbour' } });
    fireEvent.keyDown(field(), { key: 'Escape' });
    fireEvent.blur(field());
    expect(field().value).toBe('Brook');
    expect(write).not.toHaveBeenCalled();
  });

  test('is disabled and names the origin when it was set elsewhere', () => {
    show({ locked: true, source: 'environment', sourceName: 'RILLCAST_NAME' });
    expect(field().disabled).toBe(true);
    expect(screen.getByText('set by RILLCAST_NAME')).toBeTruthy();
  });

  test('says when a change waits for the next stream', () => {
    show({ applies: 'stream' });
    expect(screen.getByText(/Takes effect with the next stream/)).toBeTruthy();
  });
});

describe('other kinds', () => {
  test('a switch saves as soon as it is toggled', async () => {
    const write = show({ kind: 'bool', value: false });
    fireEvent.click(field());
    expect(write).toHaveBeenCalledExactlyOnceWith(true);
    await screen.findByText('Saved');
  });

  test('tags are added one by one, without doubles, and can be removed', async () => {
    const write = show({ kind: 'texts', value: ['music'] });
    fireEvent.input(field(), { target: { value: '#talk, music' } });
    fireEvent.keyDown(field(), { key: 'Enter' });
    expect(write).toHaveBeenLastCalledWith(['music', 'talk']);
    fireEvent.click(await screen.findByLabelText('Remove music'));
    expect(write).toHaveBeenLastCalledWith(['talk']);
  });

  test('a table is saved only once a row is complete', () => {
    const write = show({ kind: 'map', value: {} });
    fireEvent.click(screen.getByText('Add a colour'));
    const name = screen.getByLabelText('Variable');
    fireEvent.input(name, { target: { value: '--theme-color-text' } });
    fireEvent.blur(name);
    expect(write).not.toHaveBeenCalled();
    const colour = screen.getByLabelText('Colour');
    fireEvent.input(colour, { target: { value: '#123456' } });
    fireEvent.blur(colour);
    expect(write).toHaveBeenCalledExactlyOnceWith({ '--theme-color-text': '#123456' });
  });

  test('a stream key is hidden until somebody asks for it', () => {
    show({ kind: 'streamkeys', value: [{ key: 'sEcReT', comment: 'Laptop' }] });
    expect(screen.queryByText('sEcReT')).toBeNull();
    fireEvent.click(screen.getByLabelText('Show: Laptop'));
    expect(screen.getByText('sEcReT')).toBeTruthy();
  });

  test('a stream key is given the right to take over, and keeps everything else', () => {
    const write = show({ kind: 'streamkeys', value: [{ key: 'sEcReT', comment: 'Laptop' }] });
    fireEvent.click(screen.getByLabelText('May take over a running stream: Laptop'));
    expect(write).toHaveBeenCalledExactlyOnceWith([{ key: 'sEcReT', comment: 'Laptop', takeOver: true }]);
  });

  test('what is sent with a stream key is recorded if that is said, and the key keeps everything else', () => {
    const write = show({ kind: 'streamkeys', value: [{ key: 'sEcReT', comment: 'Laptop', takeOver: true }] });
    fireEvent.click(screen.getByLabelText('Record streams with this key: Laptop'));
    const key = { key: 'sEcReT', comment: 'Laptop', takeOver: true, record: true };
    expect(write).toHaveBeenCalledExactlyOnceWith([key]);
  });

  test('a new stream key is random, can be named, and is only saved when asked', () => {
    const write = show({ kind: 'streamkeys', value: [] });
    fireEvent.click(screen.getByText('Add a key', { selector: 'button' }));
    expect(write).not.toHaveBeenCalled();
    fireEvent.input(screen.getByLabelText('What is it for?'), { target: { value: ' Studio ' } });
    fireEvent.submit(screen.getByText('Add this key').closest('form') as HTMLFormElement);
    expect(write).toHaveBeenCalledExactlyOnceWith([
      { key: expect.stringMatching(/^[a-zA-Z0-9]{30}$/), comment: 'Studio', takeOver: false, record: false },
    ]);
  });

  test('a stream key is withdrawn only after a question', () => {
    const write = show({
      kind: 'streamkeys',
      value: [
        { key: 'one', comment: 'Laptop' },
        { key: 'two', comment: 'Studio' },
      ],
    });
    fireEvent.click(screen.getByLabelText('Remove: Laptop'));
    expect(write).not.toHaveBeenCalled();
    const question = screen.getByText('Remove this key?').closest('dialog');
    fireEvent.click(question?.querySelector('[data-look="danger"]') as HTMLElement);
    expect(write).toHaveBeenCalledExactlyOnceWith([{ key: 'two', comment: 'Studio' }]);
  });

  test('a number is saved as a number, with its limits on the field', () => {
    const write = show({ kind: 'number', value: 30, min: 0, max: 300 });
    expect([field().min, field().max]).toEqual(['0', '300']);
    fireEvent.input(field(), { target: { value: '45' } });
    fireEvent.blur(field());
    expect(write).toHaveBeenCalledExactlyOnceWith(45);
  });

  test('an empty number is not sent; the old one comes back', () => {
    const write = show({ kind: 'number', value: 30 });
    fireEvent.input(field(), { target: { value: '' } });
    fireEvent.blur(field());
    expect(write).not.toHaveBeenCalled();
    expect(field().value).toBe('30');
  });

  test('a kind this page does not know is edited as JSON, and broken JSON is not sent', async () => {
    const write = show({ kind: 'something new', value: { depth: 1 } });
    fireEvent.input(field(), { target: { value: '{ "depth": ' } });
    fireEvent.blur(field());
    expect(write).not.toHaveBeenCalled();
    expect(field().getAttribute('aria-invalid')).toBe('true');
    fireEvent.input(field(), { target: { value: '{ "depth": 2 }' } });
    fireEvent.blur(field());
    expect(write).toHaveBeenCalledExactlyOnceWith({ depth: 2 });
  });
});

import { cleanup, fireEvent, render, screen, within } from '@solidjs/testing-library';
import { createSignal, Show } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Dialog } from '../src/design/Dialog.tsx';
import { Toasts, toast } from '../src/design/toasts.tsx';
import { dialogsOpen, speakEnglish } from './helpers.ts';

beforeEach(async () => {
  await speakEnglish();
  dialogsOpen();
  vi.useFakeTimers();
});
afterEach(() => {
  vi.runAllTimers();
  cleanup();
  vi.useRealTimers();
});

/** A page with a dialog that stays in it, and above that one that comes and goes. */
function page() {
  const [isLower, setLower] = createSignal(false);
  const [isUpper, setUpper] = createSignal(false);
  render(() => (
    <>
      <main>
        <Toasts />
      </main>
      <Dialog open={isLower()} title="Lower" onClose={() => setLower(false)}>
        <p>below</p>
      </Dialog>
      <Show when={isUpper()}>
        <Dialog open title="Upper" onClose={() => setUpper(false)}>
          <p>above</p>
        </Dialog>
      </Show>
    </>
  ));
  return { setLower, setUpper };
}

const placeOf = (text: string) => screen.getByText(text).closest('dialog, main');

describe('a note', () => {
  test('is in the page while no dialog is open', () => {
    page();
    toast('saved');
    expect(placeOf('saved')?.tagName).toBe('MAIN');
  });

  test('is in the dialog above all others, where it is seen and read', () => {
    const { setLower, setUpper } = page();
    setLower(true);
    setUpper(true);
    toast('refused');
    expect(placeOf('refused')).toBe(screen.getByRole('dialog', { name: 'Upper' }));
    expect(screen.getByText('refused').closest('[aria-live="polite"]')).toBeTruthy();
    setUpper(false);
    expect(placeOf('refused')).toBe(screen.getByRole('dialog', { name: 'Lower' }));
    setLower(false);
    expect(placeOf('refused')?.tagName).toBe('MAIN');
  });

  test('goes back to the page when the browser closes the dialog by itself', () => {
    const { setLower } = page();
    setLower(true);
    toast('refused');
    fireEvent(screen.getByRole('dialog'), new Event('close'));
    expect(placeOf('refused')?.tagName).toBe('MAIN');
  });

  test('can be answered in the dialog', () => {
    const { setLower } = page();
    setLower(true);
    const undo = vi.fn();
    toast('hidden', { label: 'Undo', onSelect: undo });
    fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Undo' }));
    expect(undo).toHaveBeenCalledOnce();
    expect(screen.queryByText('hidden')).toBeNull();
  });
});

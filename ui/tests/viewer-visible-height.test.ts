import { createRoot } from 'solid-js';
import { afterEach, expect, test, vi } from 'vitest';
import { followVisibleHeight } from '../src/viewer/visible-height.ts';

const HEIGHT = 844;
const seen = () => document.documentElement.style.getPropertyValue('--visible-height');

class FakeViewport extends EventTarget {
  height = HEIGHT;
  scale = 1;

  become(height: number, scale = 1) {
    Object.assign(this, { height, scale });
    this.dispatchEvent(new Event('resize'));
  }
}

function follow() {
  const viewport = new FakeViewport();
  vi.stubGlobal('visualViewport', viewport);
  vi.stubGlobal('innerHeight', HEIGHT);
  const stop = createRoot((dispose) => {
    followVisibleHeight();
    return dispose;
  });
  return { viewport, stop };
}

afterEach(() => {
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

test('a keyboard that lies over the page leaves what is above it, until it is gone', () => {
  const { viewport, stop } = follow();
  viewport.become(508.4);
  expect(seen()).toBe('508px');
  viewport.become(HEIGHT);
  expect(seen()).toBe('');
  viewport.become(508);
  stop();
  expect(seen()).toBe('');
});

test('the field one writes in is brought above the keyboard', () => {
  const { viewport, stop } = follow();
  document.body.innerHTML = '<form class="chat-composer"><textarea></textarea></form>';
  const composer = document.querySelector('form') as HTMLFormElement;
  composer.scrollIntoView = vi.fn();
  document.querySelector('textarea')?.focus();
  viewport.become(508);
  expect(composer.scrollIntoView).toHaveBeenCalledOnce();
  stop();
});

test.each([
  ['the bar of the browser', HEIGHT - 80, 1],
  ['two fingers that made the page larger', HEIGHT / 2, 2],
])('%s is no keyboard', (_what, height, scale) => {
  const { viewport, stop } = follow();
  viewport.become(height, scale);
  expect(seen()).toBe('');
  stop();
});

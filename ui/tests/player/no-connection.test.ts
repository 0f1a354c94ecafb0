import { createRoot } from 'solid-js';
import { afterEach, expect, test, vi } from 'vitest';
import { watchConnection } from '../../src/viewer/player/no-connection.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('without a network it counts down to the next try, and tries at once when it is back', () => {
  vi.useFakeTimers();
  const onRetry = vi.fn();
  createRoot((dispose) => {
    const seconds = watchConnection(onRetry);
    expect(seconds()).toBeUndefined();
    window.dispatchEvent(new Event('offline'));
    expect(seconds()).toBe(5);
    vi.advanceTimersByTime(4_000);
    expect([seconds(), onRetry.mock.calls.length]).toEqual([1, 0]);
    vi.advanceTimersByTime(1_000);
    expect([seconds(), onRetry.mock.calls.length]).toEqual([5, 1]);
    window.dispatchEvent(new Event('online'));
    expect([seconds(), onRetry.mock.calls.length]).toEqual([undefined, 2]);
    vi.advanceTimersByTime(60_000);
    expect(onRetry).toHaveBeenCalledTimes(2);
    dispose();
  });
});

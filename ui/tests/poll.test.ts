import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startPolling, waitAfter } from '../src/poll.ts';

const INTERVAL = 5_000;
let stop: () => void = () => {};

function setHidden(hidden: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event('visibilitychange'));
}

function poll(ask: () => Promise<number>) {
  const onAnswer = vi.fn();
  const onTrouble = vi.fn();
  stop = startPolling({ ask, onAnswer, onTrouble, intervalMs: INTERVAL });
  return { onAnswer, onTrouble };
}

describe('polling', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    stop();
    setHidden(false);
    vi.useRealTimers();
  });

  test('asks once per interval and hands on the answers', async () => {
    const ask = vi.fn(async () => 7);
    const { onAnswer } = poll(ask);
    await vi.advanceTimersByTimeAsync(INTERVAL * 3);
    expect(ask).toHaveBeenCalledTimes(3);
    expect(onAnswer).toHaveBeenLastCalledWith(7);
  });

  test('waits longer after each failure and returns to the interval after a success', async () => {
    const ask = vi.fn<() => Promise<number>>().mockRejectedValue(new Error('down'));
    const { onTrouble } = poll(ask);
    await vi.advanceTimersByTimeAsync(INTERVAL);
    expect(onTrouble).toHaveBeenLastCalledWith(true);
    await vi.advanceTimersByTimeAsync(INTERVAL);
    expect(ask).toHaveBeenCalledTimes(1);
    ask.mockResolvedValue(1);
    await vi.advanceTimersByTimeAsync(INTERVAL);
    expect(ask).toHaveBeenCalledTimes(2);
    expect(onTrouble).toHaveBeenLastCalledWith(false);
    await vi.advanceTimersByTimeAsync(INTERVAL);
    expect(ask).toHaveBeenCalledTimes(3);
  });

  test('never waits longer than a minute', () => {
    expect(waitAfter(0, INTERVAL)).toBe(5_000);
    expect(waitAfter(1, INTERVAL)).toBe(10_000);
    expect(waitAfter(30, INTERVAL)).toBe(60_000);
    expect(waitAfter(30, INTERVAL, 10_000)).toBe(10_000);
  });

  test('rests while the tab is hidden and asks at once when it is looked at again', async () => {
    const ask = vi.fn(async () => 1);
    poll(ask);
    setHidden(true);
    await vi.advanceTimersByTimeAsync(INTERVAL * 10);
    expect(ask).not.toHaveBeenCalled();
    setHidden(false);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  test('does not ask again while an answer is outstanding', async () => {
    const ask = vi.fn(() => new Promise<number>(() => {}));
    poll(ask);
    await vi.advanceTimersByTimeAsync(INTERVAL);
    setHidden(true);
    setHidden(false);
    await vi.advanceTimersByTimeAsync(INTERVAL * 5);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  test('says nothing after it was stopped', async () => {
    const { onAnswer } = poll(async () => 1);
    stop();
    await vi.advanceTimersByTimeAsync(INTERVAL * 2);
    expect(onAnswer).not.toHaveBeenCalled();
  });
});

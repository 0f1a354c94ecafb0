import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPace } from '../../src/viewer/chat/pace.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the first goes at once and the others wait for their turn', async () => {
  const turn = createPace();
  const sent: number[] = [];
  const begin = Date.now();
  const all = [1, 2, 3].map((number) => turn().then(() => sent.push(number, Date.now() - begin)));
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(2_000);
  await Promise.all(all);
  expect(sent).toEqual([1, 0, 2, 800, 3, 1600]);
});

test('who has been silent for a while does not wait', async () => {
  const turn = createPace();
  await turn();
  await vi.advanceTimersByTimeAsync(5_000);
  const begin = Date.now();
  await turn();
  expect(Date.now()).toBe(begin);
});

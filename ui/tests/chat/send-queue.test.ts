import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSendQueue } from '../../src/viewer/chat/send-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the first goes at once and the others wait for their turn', async () => {
  const sendQueue = createSendQueue();
  const sent: number[] = [];
  const begin = Date.now();
  const send = async (number: number) => {
    await sendQueue.turn();
    sent.push(number, Date.now() - begin);
    setTimeout(sendQueue.answered, 50);
  };
  const all = [1, 2, 3].map(send);
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(2_000);
  await Promise.all(all);
  expect(sent).toEqual([1, 0, 2, 850, 3, 1700]);
});

test('the time is counted from the answer, however late it comes', async () => {
  const sendQueue = createSendQueue();
  await sendQueue.turn();
  const begin = Date.now();
  let wait = 0;
  void sendQueue.turn().then(() => (wait = Date.now() - begin));
  setTimeout(sendQueue.answered, 1_500);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(wait).toBe(2_300);
});

test('what is never answered does not hold up the next for ever', async () => {
  const sendQueue = createSendQueue();
  await sendQueue.turn();
  const begin = Date.now();
  let wait = 0;
  void sendQueue.turn().then(() => (wait = Date.now() - begin));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(wait).toBe(3_000);
});

test('who has been silent for a while does not wait', async () => {
  const sendQueue = createSendQueue();
  await sendQueue.turn();
  await vi.advanceTimersByTimeAsync(5_000);
  const begin = Date.now();
  await sendQueue.turn();
  expect(Date.now()).toBe(begin);
});

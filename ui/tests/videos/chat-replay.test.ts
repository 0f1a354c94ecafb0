import { createRoot, createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type AskChat, createChatReplay } from '../../src/viewer/videos/watch/chat-replay.ts';
import type { ReplayedChat, ReplayedMessage } from '../../src/viewer/videos/wire.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const START = Date.parse('2026-03-12T18:00:00Z');

function said(at: number, text = `at ${at}`): ReplayedMessage {
  return {
    id: `${at}-${text}`,
    at,
    type: 'CHAT',
    timestamp: new Date(START + at * 1000).toISOString(),
    user: { id: 'ann', displayName: 'Ann', displayColor: 1 },
    body: `<p>${text}</p>`,
  };
}

/** Answers as the server does: what is in the stretch, some at a time. */
function server(messages: ReplayedMessage[], perPage = 500) {
  const asked: [number, number, string | undefined][] = [];
  let isDown = false;
  const ask: AskChat = async (from, to, after): Promise<ReplayedChat> => {
    asked.push([from, to, after]);
    if (isDown) throw new Error('down');
    const found = messages.filter(({ at }) => at >= from && at <= to);
    const start = after ? found.findIndex(({ id }) => id === after) + 1 : 0;
    const page = found.slice(start, start + perPage);
    const isAll = start + perPage >= found.length;
    return { messages: page, next: isAll ? null : (page.at(-1)?.id ?? null) };
  };
  return {
    ask,
    asked,
    fail: (now: boolean) => {
      isDown = now;
    },
  };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

async function replayOf(ask: AskChat, startAt = 0, length = 3600) {
  const [position, setPosition] = createSignal(startAt);
  const [chat, dispose] = createRoot((end) => [createChatReplay({ ask, position, duration: () => length }), end]);
  await settle();
  const shown = () => chat.log.all.map(({ body }) => body.replace(/<\/?p>/g, ''));
  const goTo = async (at: number) => {
    setPosition(at);
    await settle();
  };
  return { chat, shown, goTo, dispose };
}

const every = (step: number, until: number) => Array.from({ length: until / step }, (_, index) => said(index * step));

describe('the chat of a past stream', () => {
  test('shows what was said up to the picture, and nothing of what comes', async () => {
    const { ask } = server([said(1), said(4.5), said(8)]);
    const { shown, goTo } = await replayOf(ask);
    expect(shown()).toEqual([]);
    await goTo(4.4);
    expect(shown()).toEqual(['at 1']);
    await goTo(4.5);
    expect(shown()).toEqual(['at 1', 'at 4.5']);
  });

  test('goes back with the picture, also by a little', async () => {
    const { ask } = server([said(1), said(4), said(8)]);
    const { chat, shown, goTo } = await replayOf(ask);
    await goTo(9);
    expect(shown()).toEqual(['at 1', 'at 4', 'at 8']);
    const before = chat.place();
    await goTo(5);
    expect(shown()).toEqual(['at 1', 'at 4']);
    expect(chat.place()).toBeGreaterThan(before);
    await goTo(8);
    expect(shown()).toEqual(['at 1', 'at 4', 'at 8']);
  });

  test('asks ahead of the picture, stretch by stretch, and for nothing twice', async () => {
    const { ask, asked } = server(every(2, 600));
    const { goTo, shown } = await replayOf(ask);
    for (let at = 0; at <= 200; at += 1) await goTo(at);
    const stretches = asked.map(([from, to]) => [from, to]);
    for (const [index, [from]] of stretches.entries()) expect(from).toBe(stretches[index - 1]?.[1] ?? 0);
    expect(Math.max(...stretches.map(([, to]) => to ?? 0))).toBeLessThan(300);
    expect(shown().length).toBe(101);
    expect(new Set(shown()).size).toBe(101);
  });

  test('takes a stretch with more messages than one answer has, page by page', async () => {
    const { ask, asked } = server(every(0.5, 60), 25);
    const { shown, goTo } = await replayOf(ask);
    await goTo(50);
    expect(asked.filter(([, , after]) => after !== undefined).length).toBeGreaterThan(2);
    expect(shown().length).toBe(101);
  });

  test('at another place begins anew with what was said right before it', async () => {
    const { ask, asked } = server(every(3, 3600));
    const { shown, goTo } = await replayOf(ask);
    asked.length = 0;
    await goTo(1800);
    expect(shown().at(-1)).toBe('at 1800');
    expect(shown().length).toBeGreaterThan(15);
    expect(asked[0]).toEqual([1740, 1860, undefined]);
  });

  test('looks further back where it was quiet, until there is something or the beginning', async () => {
    const { ask, asked } = server([said(3), said(700), said(3000)]);
    const { shown } = await replayOf(ask, 2000);
    expect(shown()).toEqual(['at 3', 'at 700']);
    expect(asked.at(-1)?.[0]).toBe(0);
    expect(asked.length).toBeLessThan(8);
  });

  test('older messages are put where they belong when somebody reads on backwards', async () => {
    const { ask } = server(every(2, 3600));
    const { chat, shown } = await replayOf(ask, 1800);
    const first = shown()[0];
    const before = chat.place();
    chat.earlier();
    await settle();
    expect(shown().indexOf(first ?? '')).toBeGreaterThan(10);
    expect(shown().at(-1)).toBe('at 1800');
    // What is read stays where it is.
    expect(chat.place()).toBe(before);
  });

  test('goes on by itself after an outage', async () => {
    const { ask, fail } = server([said(1)]);
    fail(true);
    const { chat, shown, goTo } = await replayOf(ask);
    expect(chat.state()).toBe('failed');
    await goTo(2);
    fail(false);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(chat.state()).toBe('ready');
    expect(shown()).toEqual(['at 1']);
  });

  test('an answer for a place that was left changes nothing', async () => {
    let answerFirst = (_answer: ReplayedChat) => {};
    const { ask } = server([said(1000)]);
    let isFirst = true;
    const slow: AskChat = (from, to, after) => {
      if (!isFirst) return ask(from, to, after);
      isFirst = false;
      return new Promise((resolve) => {
        answerFirst = resolve;
      });
    };
    const { shown, goTo, chat } = await replayOf(slow);
    await goTo(1001);
    answerFirst({ messages: [said(0.5, 'old')], next: null });
    await settle();
    await vi.advanceTimersByTimeAsync(10);
    expect(chat.state()).toBe('ready');
    expect(shown()).not.toContain('old');
  });

  test('is told when each message was written in the video', async () => {
    const { ask } = server([said(4.5)]);
    const { chat, goTo } = await replayOf(ask);
    await goTo(5);
    expect(chat.timeOf(chat.log.all[0]?.id ?? '')).toBe(4.5);
  });
});

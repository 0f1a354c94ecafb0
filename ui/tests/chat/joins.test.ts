import { describe, expect, test } from 'vitest';
import { JOIN_WINDOW_MS } from '../../src/viewer/chat/joins.ts';
import { type Line, LineLog, lineFrom } from '../../src/viewer/chat/lines.ts';
import type { ChatEvent } from '../../src/wire.ts';
import { brook } from './fakes.ts';

const START = Date.parse('2026-01-02T12:00:00Z');
const at = (ms: number) => new Date(START + ms).toISOString();
const joined = (name: string, ms = 0): ChatEvent => ({
  type: 'USER_JOINED',
  id: `j-${name}-${ms}`,
  timestamp: at(ms),
  user: { ...brook, id: name, displayName: name },
});
const said = (id: string, ms: number): ChatEvent => ({ type: 'CHAT', id, timestamp: at(ms), body: id, user: brook });
const logOf = (...events: ChatEvent[]) => {
  const log = new LineLog();
  for (const event of events) log.append([lineFrom(event, START) as Line]);
  return log;
};
const shown = (log: LineLog) => log.all.map(({ id, others }) => [id, ...others].join(' '));

describe('joins', () => {
  test('go into one line for as long as it is the last', () => {
    const log = logOf(joined('lark'), joined('wren', 1_000), joined('finch', 10 * JOIN_WINDOW_MS));
    expect(shown(log)).toEqual(['j-lark-0 wren finch']);
  });

  test('go into a line further up while that is recent, and into a new one after that', () => {
    const log = logOf(joined('lark'), said('a', 1), joined('wren', 2), joined('finch', JOIN_WINDOW_MS));
    expect(shown(log)).toEqual(['j-lark-0 wren', 'a', `j-finch-${JOIN_WINDOW_MS}`]);
  });

  test('do not go where nobody looks any more', () => {
    const much = Array.from({ length: 20 }, (_, index) => said(`l${index}`, index));
    const log = logOf(joined('lark'), ...much, joined('wren', 30));
    expect(shown(log).at(-1)).toBe('j-wren-30');
  });

  test('count everybody once', () => {
    const log = logOf(joined('lark'), joined('wren', 1), joined('lark', 2), joined('wren', 3));
    expect(shown(log)).toEqual(['j-lark-0 wren']);
  });

  test('stay together when the history is put before them', () => {
    const log = logOf(joined('lark'), joined('wren', 1));
    log.merge([lineFrom(said('before', -5), START) as Line]);
    expect(shown(log)).toEqual(['before', 'j-lark-0 wren']);
  });
});

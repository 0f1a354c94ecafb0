import { describe, expect, test } from 'vitest';
import { type Line, LineLog, lineFrom } from '../../src/viewer/chat/lines.ts';
import type { ChatEvent } from '../../src/wire.ts';
import { said } from './fakes.ts';

const lines = (...events: ChatEvent[]): Line[] => events.flatMap((event) => lineFrom(event, 0) ?? []);
const seen = (log: LineLog) => log.all.map(({ id }) => (log.isHidden(id) ? `(${id})` : id)).join(' ');

function logOf(...events: ChatEvent[]) {
  const log = new LineLog();
  log.append(lines(...events));
  return log;
}

describe('hidden lines', () => {
  test('stay where they are for a moderator, and are marked', () => {
    const log = logOf(said('a'), said('b'), said('c'));
    log.keepHidden(true);
    log.hide(['b']);
    expect(seen(log)).toBe('a (b) c');
    log.show(['b']);
    expect(seen(log)).toBe('a b c');
  });

  test('come back for whoever becomes a moderator, and go with the role', () => {
    const log = logOf(said('a'), said('b'), said('c'));
    log.hide(['b']);
    expect(seen(log)).toBe('a c');
    log.keepHidden(true);
    expect(seen(log)).toBe('a (b) c');
    log.keepHidden(false);
    expect(seen(log)).toBe('a c');
    log.show(['b']);
    expect(seen(log)).toBe('a b c');
  });

  test('hidden before they arrive are marked when they do, for moderators only', () => {
    const late = said('late');
    const log = logOf(said('a'));
    log.hide(['late']);
    log.append(lines(late));
    expect(seen(log)).toBe('a');
    log.keepHidden(true);
    expect(seen(log)).toBe('(late) a');
    const other = logOf();
    other.keepHidden(true);
    other.hide(['late']);
    other.append(lines(late, late));
    expect(seen(other)).toBe('(late)');
  });

  test('an answer does not go on quoting one, for moderators either', () => {
    const reply = { id: 'a', displayName: 'ada', excerpt: 'rude' };
    const log = logOf(said('a'), said('b', 'yes', { inReplyTo: reply }));
    log.keepHidden(true);
    log.hide(['a']);
    expect(log.all.map((line) => line.reply)).toEqual([undefined, undefined]);
  });

  test('without the role nothing is said to be hidden', () => {
    const log = logOf(said('a'));
    log.hide(['a', 'unknown']);
    expect(log.isHidden('a')).toBe(false);
    log.keepHidden(false);
    expect(seen(log)).toBe('');
  });
});

import { describe, expect, test } from 'vitest';
import { KEPT_LINES, type Line, LineLog, lineFrom } from '../../src/viewer/chat/lines.ts';
import { People } from '../../src/viewer/chat/people.ts';
import {
  countLater,
  earlierSpan,
  endSpan,
  hasEarlier,
  laterSpan,
  MOST_ROWS,
  ROWS_AT_END,
  rowsOf,
  spanAround,
} from '../../src/viewer/chat/span.ts';
import type { ChatEvent } from '../../src/wire.ts';
import { brook, me, said } from './fakes.ts';

const NOW = Date.parse('2026-01-02T13:00:00Z');
const line = (event: ChatEvent): Line => {
  const made = lineFrom(event, NOW);
  if (!made) throw new Error('no line');
  return made;
};
const ids = (log: LineLog) => log.all.map(({ id }) => id);
const logOf = (...events: ChatEvent[]) => {
  const log = new LineLog();
  log.append(events.map(line));
  return log;
};

describe('lines from events', () => {
  test.each([
    ['CHAT', 'user'],
    ['SYSTEM', 'system'],
    ['CHAT_ACTION', 'action'],
    ['USER_JOINED', 'joined'],
    ['NAME_CHANGE', 'renamed'],
    ['FEDIVERSE_ENGAGEMENT_LIKE', 'social'],
  ])('%s is a line of kind %s', (type, kind) => {
    expect(lineFrom({ type, id: 'x', user: brook, body: '' }, NOW)?.kind).toBe(kind);
  });

  test.each(['CONNECTED_USER_INFO', 'USER_PARTED', 'VISIBILITY-UPDATE', 'ERROR_USER_DISABLED', 'POLL_FROM_THE_FUTURE'])(
    '%s is none',
    (type) => {
      expect(lineFrom({ type, id: 'x', user: brook }, NOW)).toBeUndefined();
    },
  );

  test('a message without a person or one that is hidden is none', () => {
    expect(lineFrom({ type: 'CHAT', id: 'x', body: 'y' }, NOW)).toBeUndefined();
    expect(lineFrom(said('x', 'y', { visible: false }), NOW)).toBeUndefined();
  });

  test('a private notice is told apart from an action', () => {
    expect(lineFrom({ type: 'CHAT_ACTION', id: 'x', body: 'wait', notice: 'slow-mode' }, NOW)?.kind).toBe('notice');
  });

  test('what is missing is filled in: the time, the id, the rest of the person', () => {
    const made = line({ type: 'SYSTEM', body: 'x', user: { displayName: 'Server' } });
    expect(made.at).toBe(NOW);
    expect(made.id).toMatch(/^local-/);
    expect(made.user?.displayColor).toBe(0);
  });

  test('addresses that run something do not get into a card', () => {
    const card = line({
      type: 'FEDIVERSE_ENGAGEMENT_FOLLOW',
      id: 'x',
      title: 'a@b',
      link: 'javascript:alert(1)',
      image: 'data:text/html,x',
    });
    expect(card.social).toMatchObject({ link: undefined, image: undefined, handle: 'a@b' });
  });
});

describe('the log', () => {
  test('has every line once', () => {
    const log = logOf(said('a'), said('b'));
    log.append([line(said('b')), line(said('c'))]);
    log.merge([line(said('a'))]);
    expect(ids(log)).toEqual(['a', 'b', 'c']);
  });

  test('lines of one person collapse until somebody else speaks, something is answered, or time passes', () => {
    const log = logOf(
      said('first'),
      said('second'),
      said('other', 'x', { user: me }),
      said('back'),
      said('reply', 'x', { inReplyTo: { id: 'other', displayName: 'ada', excerpt: 'x' } }),
      said('late', 'x', { timestamp: '2026-01-02T12:59:00Z' }),
    );
    expect(log.all.map(({ continues }) => continues)).toEqual([false, true, false, false, false, false]);
  });

  test('a renamed person gets a new head', () => {
    const log = logOf(said('a'), said('b', 'x', { user: { ...brook, displayName: 'rill' } }));
    expect(log.all[1]?.continues).toBe(false);
  });

  test('history is put before what came meanwhile, by its time', () => {
    const early = said('early');
    const live = said('live');
    const log = logOf(live);
    log.merge([line(early), line(live)]);
    expect(ids(log)).toEqual(['early', 'live']);
    expect(log.all.map(({ seq }) => seq)).toEqual([...log.all.map(({ seq }) => seq)].sort((a, b) => a - b));
  });

  test('who reads further up keeps the place when lines from before come in between', () => {
    const [first, second, missed, third] = ['first', 'second', 'missed', 'third'].map((id) => said(id));
    const log = logOf(second as ChatEvent, third as ChatEvent);
    const rows = [...log.all];
    const span = { from: rows[0]?.seq ?? 0, to: rows[0]?.seq ?? 0 };
    log.merge([line(first as ChatEvent), line(missed as ChatEvent)]);
    expect(ids(log)).toEqual(['first', 'second', 'missed', 'third']);
    expect(rowsOf(log, span).map(({ id }) => id)).toEqual(['second']);
    expect(log.all.map(({ seq }) => seq)).toEqual([...log.all.map(({ seq }) => seq)].sort((a, b) => a - b));
    expect(new Set(log.all.map(({ seq }) => seq)).size).toBe(4);
  });

  test('a line hidden before lines from before came in is shown again where it was', () => {
    const early = ['e1', 'e2', 'e3'].map((id) => said(id));
    const log = logOf(said('a'), said('b'), said('c'));
    log.hide(['b']);
    log.merge(early.map(line));
    log.show(['b']);
    expect(ids(log)).toEqual(['e1', 'e2', 'e3', 'a', 'b', 'c']);
  });

  test('a hidden line from before is shown again where its time says', () => {
    const bad = said('bad');
    const log = logOf(said('a'), said('b'));
    log.hide(['bad']);
    log.merge([line(bad)]);
    log.show(['bad']);
    expect(ids(log)).toEqual(['bad', 'a', 'b']);
  });

  test('a hidden line vanishes, and the next one gets its name back', () => {
    const log = logOf(said('head'), said('next'));
    log.hide(['head']);
    expect(ids(log)).toEqual(['next']);
    expect(log.all[0]?.continues).toBe(false);
  });

  test('a line shown again is where it was', () => {
    const log = logOf(said('a'), said('b'), said('c'));
    log.hide(['b']);
    log.append([line(said('d'))]);
    log.show(['b']);
    expect(ids(log)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a line that was hidden before it arrived is never shown', () => {
    const log = new LineLog();
    log.hide(['late']);
    expect(log.append([line(said('late'))])).toEqual([]);
    expect(log.all).toEqual([]);
  });

  test('a hidden line does not come back with what was missed', () => {
    const event = said('bad');
    const log = logOf(event);
    log.hide(['bad']);
    log.append([line(event)]);
    log.merge([line(event)]);
    expect(log.all).toEqual([]);
  });

  test('keeps a bounded number of lines, the newest', () => {
    const log = new LineLog();
    for (let index = 0; index < KEPT_LINES + 2_000; index += 1) log.append([line(said(`l${index}`))]);
    expect(log.all.length).toBeGreaterThanOrEqual(KEPT_LINES);
    expect(log.all.length).toBeLessThanOrEqual(KEPT_LINES + 500);
    expect(log.all.at(-1)?.id).toBe(`l${KEPT_LINES + 1_999}`);
  });
});

describe('the stretch of lines in the page', () => {
  const long = () => {
    const log = new LineLog();
    // AllUsers speaks in turn, so that every line has a head.
    const events = Array.from({ length: 1_000 }, (_, index) =>
      said(`l${index}`, 'x', { user: index % 2 ? me : brook }),
    );
    log.append(events.map(line));
    return log;
  };
  const bounds = (log: LineLog, span: { from: number; to: number }) => {
    const rows = rowsOf(log, span);
    return [rows[0]?.id, rows.at(-1)?.id, rows.length];
  };

  test('is empty without lines', () => {
    const log = new LineLog();
    expect(rowsOf(log, endSpan(log))).toEqual([]);
    expect(hasEarlier(log, endSpan(log))).toBe(false);
  });

  test('is the last ones at the end', () => {
    const log = long();
    expect(bounds(log, endSpan(log))).toEqual([`l${1_000 - ROWS_AT_END}`, 'l999', ROWS_AT_END]);
    expect(countLater(log, endSpan(log))).toBe(0);
  });

  test('reaches the first line and comes back, never longer than allowed', () => {
    const log = long();
    let span = endSpan(log);
    let steps = 0;
    while (hasEarlier(log, span)) {
      span = earlierSpan(log, span);
      steps += 1;
      expect(rowsOf(log, span).length).toBeLessThanOrEqual(MOST_ROWS);
      expect(steps).toBeLessThan(50);
    }
    expect(rowsOf(log, span)[0]?.id).toBe('l0');
    while (countLater(log, span) > 0) {
      span = laterSpan(log, span);
      steps += 1;
      expect(rowsOf(log, span).length).toBeLessThanOrEqual(MOST_ROWS);
      expect(steps).toBeLessThan(50);
    }
    expect(rowsOf(log, span).at(-1)?.id).toBe('l999');
  });

  test('each step overlaps with the one before, so that the reader’s place is kept', () => {
    const log = long();
    const before = endSpan(log);
    const after = earlierSpan(log, before);
    expect(rowsOf(log, after)).toContain(rowsOf(log, before)[0]);
  });

  test('stands still while lines come in below', () => {
    const log = long();
    const span = endSpan(log);
    log.append([line(said('new'))]);
    expect(rowsOf(log, span).at(-1)?.id).toBe('l999');
    expect(countLater(log, span)).toBe(1);
  });

  test('starts with a line that has a name', () => {
    const log = new LineLog();
    log.append(
      Array.from({ length: 400 }, (_, index) => line(said(`l${index}`, 'x', { user: index < 240 ? me : brook }))),
    );
    expect(rowsOf(log, endSpan(log))[0]?.id).toBe('l240');
  });

  test('can be put around a line', () => {
    const log = long();
    const wanted = log.all[500];
    expect(rowsOf(log, spanAround(log, wanted?.seq ?? 0))).toContain(wanted);
  });
});

describe('people', () => {
  test('the last to speak come first, each once, without oneself', () => {
    const people = new People();
    const dew = { ...brook, id: 'dew', displayName: 'dew' };
    people.hear([said('a'), said('b', 'x', { user: dew }), said('c', 'x', { user: me }), said('d')].map(line));
    expect(people.names('me')).toEqual(['brook', 'dew']);
  });
});

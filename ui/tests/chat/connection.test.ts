import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Connection, type ConnectionState, type DisabledReason } from '../../src/viewer/chat/connection.ts';
import { documentsOf, reconnectWait } from '../../src/viewer/chat/protocol.ts';
import type { ChatEvent } from '../../src/wire.ts';
import { FakeEnvironment, greeting, said } from './fakes.ts';

function start(environment = new FakeEnvironment(), isOff = false) {
  const events: ChatEvent[] = [];
  const history: ChatEvent[] = [];
  const states: (ConnectionState | `disabled: ${DisabledReason}`)[] = [];
  const connection = new Connection(environment, {
    onEvents: (some) => events.push(...some),
    onHistory: (some) => history.push(...some),
    onState: (state, reason) => states.push(reason ? `disabled: ${reason}` : state),
  });
  connection.start(isOff);
  return { environment, connection, events, history, states, state: () => states.at(-1) };
}

/** Lets promises settle and timers of up to `ms` fire. */
const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('documents', () => {
  test('several in one frame are told apart', () => {
    expect(documentsOf('{"type":"A"}\n{"type":"B","body":"x\\ny"}\n')).toEqual([
      { type: 'A' },
      { type: 'B', body: 'x\ny' },
    ]);
  });

  test.each(['', 'CHAT_DISABLED', 'null', '[]', '7', '{"type":3}', '{}'])('%j is none', (frame) => {
    expect(documentsOf(frame)).toEqual([]);
  });

  test('waits grow, are capped, and differ between viewers', () => {
    expect(reconnectWait(0, 1006, 0)).toBe(500);
    expect(reconnectWait(3, 1006, 0)).toBe(4_000);
    expect(reconnectWait(40, 1006, 0)).toBe(15_000);
    expect(reconnectWait(40, 1006, 0.999)).toBeLessThanOrEqual(30_000);
    expect(reconnectWait(0, 1006, 0.2)).not.toBe(reconnectWait(0, 1006, 0.8));
    // A restart spreads everybody further.
    expect(reconnectWait(0, 1001, 0.9)).toBeGreaterThan(reconnectWait(0, 1006, 0.9));
  });
});

describe('the connection', () => {
  test('registers once and keeps the token', async () => {
    const { environment } = start();
    await pass();
    expect(environment.registrations).toBe(1);
    expect(environment.token).toBe('token-1');
    expect(environment.socket.query.get('accessToken')).toBe('token-1');
  });

  test('uses the token of the last visit', async () => {
    const environment = new FakeEnvironment();
    environment.token = 'old';
    start(environment);
    await pass();
    expect(environment.registrations).toBe(0);
    expect(environment.socket.query.get('accessToken')).toBe('old');
  });

  test('is open once the server has greeted, and not before', async () => {
    const { environment, state, connection } = start();
    await pass();
    expect(state()).toBe('connecting');
    expect(await connection.send({ type: 'CHAT', body: 'early' })).toBe(false);
    environment.socket.say(greeting);
    expect(state()).toBe('open');
    expect(await connection.send({ type: 'CHAT', body: 'hello' })).toBe(true);
    expect(environment.socket.sent).toEqual([{ type: 'CHAT', body: 'hello' }]);
  });

  test('asks for what came between the history and the socket', async () => {
    const environment = new FakeEnvironment();
    environment.entries = [said('a'), said('b')];
    const { history } = start(environment);
    await pass();
    expect(history.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(environment.socket.query.get('lastId')).toBe('b');
  });

  test('asks for the history again when there was nothing to go on from', async () => {
    const { environment, history } = start();
    await pass();
    expect(environment.socket.query.has('lastId')).toBe(false);
    environment.entries = [said('between')];
    environment.socket.say(greeting);
    await pass();
    expect(history.map(({ id }) => id)).toEqual(['between']);
  });

  test('comes in even when the history cannot be had', async () => {
    const environment = new FakeEnvironment();
    environment.history = () => Promise.reject(new Error('500'));
    const { state } = start(environment);
    await pass();
    environment.socket.say(greeting);
    expect(state()).toBe('open');
  });

  test('comes back with the id of the last line it saw', async () => {
    const { environment, state, events } = start();
    await pass();
    environment.socket.say(greeting, said('one'), said('two'), { type: 'USER_JOINED', id: 'join' });
    environment.socket.drop();
    await pass();
    expect(state()).toBe('lost');
    await pass(1_000);
    expect(environment.sockets).toHaveLength(2);
    expect(environment.socket.query.get('lastId')).toBe('two');
    environment.socket.say(greeting, said('three'));
    expect(state()).toBe('open');
    expect(events.filter(({ type }) => type === 'CHAT').map(({ id }) => id)).toEqual(['one', 'two', 'three']);
  });

  test.each([1001, 1013, 1006])('comes back after close code %i', async (code) => {
    const { environment } = start();
    await pass();
    environment.socket.say(greeting);
    environment.socket.drop(code);
    await pass(4_000);
    expect(environment.sockets).toHaveLength(2);
  });

  test('waits longer with every failure while the server is away, and does not blame the sockets', async () => {
    const { environment, state } = start();
    environment.isOff = 'unreachable';
    await pass();
    const opened: number[] = [];
    for (let time = 0; time < 600; time += 1) {
      if (environment.sockets.length > opened.length) {
        opened.push(Date.now());
        environment.socket.drop();
      }
      await pass(100);
    }
    const waits = opened.slice(1).map((at, index) => at - (opened[index] ?? 0));
    expect(waits.length).toBeGreaterThan(4);
    expect(waits).toEqual(waits.toSorted((one, other) => one - other));
    expect(environment.sources).toHaveLength(0);
    expect(state()).toBe('lost');
  });

  test('does not wait when the network is back', async () => {
    const { environment, connection } = start();
    await pass();
    environment.socket.say(greeting);
    environment.socket.drop();
    await pass();
    connection.retryNow();
    await pass();
    expect(environment.sockets).toHaveLength(2);
  });

  test('a retry while it is open changes nothing', async () => {
    const { environment, connection } = start();
    await pass();
    environment.socket.say(greeting);
    connection.retryNow();
    await pass();
    expect(environment.sockets).toHaveLength(1);
    expect(environment.socket.isClosedByPage).toBe(false);
  });

  test('registers anew when the server does not know the token', async () => {
    const environment = new FakeEnvironment();
    environment.token = 'forgotten';
    const { state } = start(environment);
    await pass();
    environment.socket.say({ type: 'ERROR_NEEDS_REGISTRATION' });
    environment.socket.drop(1008);
    await pass(2_000);
    expect(environment.registrations).toBe(1);
    expect(environment.token).toBe('token-1');
    environment.socket.say(greeting);
    expect(state()).toBe('open');
  });

  test('tries to register again when that fails', async () => {
    const environment = new FakeEnvironment();
    environment.isRegistrationBroken = true;
    start(environment);
    await pass(500);
    environment.isRegistrationBroken = false;
    await pass(5_000);
    expect(environment.sockets).toHaveLength(1);
  });

  test.each([
    ['told so', (environment: FakeEnvironment) => environment.socket.say({ type: 'ERROR_USER_DISABLED' })],
    ['closed with 1008', (environment: FakeEnvironment) => environment.socket.drop(1008)],
  ])('asks now and then after being removed whether that is over (%s)', async (_how, remove) => {
    const { environment, state } = start();
    await pass();
    environment.socket.say(greeting);
    remove(environment);
    await pass(25_000);
    expect(state()).toBe('disabled: removed');
    expect(environment.sockets).toHaveLength(1);
    await pass(21_000);
    expect(environment.sockets).toHaveLength(2);
    environment.socket.say({ type: 'ERROR_USER_DISABLED' });
    expect(state()).toBe('disabled: removed');
    await pass(46_000);
    expect(environment.sockets).toHaveLength(3);
    environment.socket.say(greeting);
    expect(state()).toBe('open');
  });

  test('what an ended connection still says is not heard', async () => {
    const { environment, connection, events } = start();
    await pass();
    const { socket } = environment;
    const late = socket.onmessage;
    connection.stop();
    late?.({ data: JSON.stringify(said('late')) });
    expect(events).toEqual([]);
    expect(socket.isClosedByPage).toBe(true);
  });

  test('can be started again after a stop', async () => {
    const { environment, connection, state } = start();
    await pass();
    connection.stop();
    connection.start();
    await pass();
    environment.socket.say(greeting);
    expect(state()).toBe('open');
  });
});

describe('while chat is off', () => {
  test('it asks, and comes in within two seconds of its being on again', async () => {
    const { environment, state } = start();
    environment.isOff = true;
    await pass();
    environment.socket.drop();
    await pass(60_000);
    expect(state()).toBe('disabled: off');
    expect(environment.sockets).toHaveLength(1);
    environment.isOff = false;
    await pass(2_000);
    environment.socket.say(greeting);
    expect(state()).toBe('open');
  });

  test('a server that does not answer is asked less often', async () => {
    const { environment } = start();
    environment.isOff = true;
    await pass();
    environment.socket.drop();
    await pass(2_000);
    environment.isOff = 'unreachable';
    const before = environment.offChecks;
    await pass(60_000);
    expect(environment.offChecks - before).toBeLessThanOrEqual(5);
  });

  test('a page that knows it from the start does not even register', async () => {
    const environment = new FakeEnvironment();
    environment.isOff = true;
    const { state } = start(environment, true);
    await pass(60_000);
    expect(state()).toBe('disabled: off');
    expect(environment.registrations).toBe(0);
    expect(environment.sockets).toHaveLength(0);
  });
});

describe('when the operator changes who may write', () => {
  test('the page looks at the settings once it is told who it is again', async () => {
    const { environment, state } = start();
    await pass();
    environment.socket.say(greeting);
    expect(environment.offChecks).toBe(0);
    environment.socket.say(greeting, greeting);
    await pass(1_000);
    expect(environment.offChecks).toBe(1);
    environment.isOff = 'unreachable';
    environment.socket.say(greeting);
    await pass(1_000);
    expect(state()).toBe('open');
  });
});

describe('where sockets are broken', () => {
  const fallBack = async () => {
    const started = start();
    await pass();
    started.environment.socket.drop();
    await pass(1_000);
    started.environment.socket.drop();
    await pass();
    return started;
  };

  test('two that never spoke lead to the stream of events', async () => {
    const { environment, state, connection } = await fallBack();
    expect(environment.sockets).toHaveLength(2);
    environment.source.ready('session-1');
    environment.source.say(greeting);
    expect(state()).toBe('fallback');
    expect(await connection.send({ type: 'CHAT', body: 'hello' })).toBe(true);
    expect(environment.posted).toEqual([
      { token: 'token-1', session: 'session-1', document: { type: 'CHAT', body: 'hello' } },
    ]);
  });

  test('a socket that opens and says nothing counts as broken', async () => {
    const { environment } = start();
    await pass(10_000);
    expect(environment.socket.isClosedByPage).toBe(true);
    await pass(1_000);
    await pass(10_000);
    expect(environment.sources).toHaveLength(1);
  });

  test('a session that is gone is opened anew with the last id', async () => {
    const { environment, connection, state } = await fallBack();
    environment.source.ready('session-1');
    environment.source.say(greeting);
    environment.source.say(said('seen'));
    environment.isSessionGone = true;
    expect(await connection.send({ type: 'CHAT', body: 'lost' })).toBe(false);
    expect(state()).toBe('lost');
    await pass(5_000);
    // One more socket, since the network may have changed; it fails too.
    expect(environment.socket.query.get('lastId')).toBe('seen');
    environment.socket.drop();
    await pass();
    expect(environment.sources).toHaveLength(2);
    expect(environment.source.query.get('lastId')).toBe('seen');
  });

  test('the browser’s own way of trying again is not used', async () => {
    const { environment } = await fallBack();
    environment.source.ready('session-1');
    environment.source.say(greeting);
    const { source } = environment;
    source.onerror?.();
    expect(source.isClosedByPage).toBe(true);
  });

  test('events that greet and break do not become a storm of requests', async () => {
    const { environment } = await fallBack();
    for (let time = 0; time < 10; time += 1) {
      environment.source.ready('s');
      environment.source.say(greeting);
      environment.source.onerror?.();
      await pass(100);
    }
    expect(environment.sources.length).toBeLessThan(3);
  });
});

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Connection, type ConnectionState, type DisabledReason } from '../../src/viewer/chat/connection.ts';
import { documentsOf, reconnectWait } from '../../src/viewer/chat/protocol.ts';
import type { ChatEvent } from '../../src/wire.ts';
import { FakeWorld, greeting, said } from './fakes.ts';

function start(world = new FakeWorld(), isOff = false) {
  const events: ChatEvent[] = [];
  const history: ChatEvent[] = [];
  const states: (ConnectionState | `disabled: ${DisabledReason}`)[] = [];
  const connection = new Connection(world, {
    onEvents: (some) => events.push(...some),
    onHistory: (some) => history.push(...some),
    onState: (state, reason) => states.push(reason ? `disabled: ${reason}` : state),
  });
  connection.start(isOff);
  return { world, connection, events, history, states, state: () => states.at(-1) };
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
    const { world } = start();
    await pass();
    expect(world.registrations).toBe(1);
    expect(world.token).toBe('token-1');
    expect(world.socket.query.get('accessToken')).toBe('token-1');
  });

  test('uses the token of the last visit', async () => {
    const world = new FakeWorld();
    world.token = 'old';
    start(world);
    await pass();
    expect(world.registrations).toBe(0);
    expect(world.socket.query.get('accessToken')).toBe('old');
  });

  test('is open once the server has greeted, and not before', async () => {
    const { world, state, connection } = start();
    await pass();
    expect(state()).toBe('connecting');
    expect(await connection.send({ type: 'CHAT', body: 'early' })).toBe(false);
    world.socket.say(greeting);
    expect(state()).toBe('open');
    expect(await connection.send({ type: 'CHAT', body: 'hello' })).toBe(true);
    expect(world.socket.sent).toEqual([{ type: 'CHAT', body: 'hello' }]);
  });

  test('asks for what came between the history and the socket', async () => {
    const world = new FakeWorld();
    world.entries = [said('a'), said('b')];
    const { history } = start(world);
    await pass();
    expect(history.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(world.socket.query.get('lastId')).toBe('b');
  });

  test('asks for the history again when there was nothing to go on from', async () => {
    const { world, history } = start();
    await pass();
    expect(world.socket.query.has('lastId')).toBe(false);
    world.entries = [said('between')];
    world.socket.say(greeting);
    await pass();
    expect(history.map(({ id }) => id)).toEqual(['between']);
  });

  test('comes in even when the history cannot be had', async () => {
    const world = new FakeWorld();
    world.history = () => Promise.reject(new Error('500'));
    const { state } = start(world);
    await pass();
    world.socket.say(greeting);
    expect(state()).toBe('open');
  });

  test('comes back with the id of the last line it saw', async () => {
    const { world, state, events } = start();
    await pass();
    world.socket.say(greeting, said('one'), said('two'), { type: 'USER_JOINED', id: 'join' });
    world.socket.drop();
    await pass();
    expect(state()).toBe('lost');
    await pass(1_000);
    expect(world.sockets).toHaveLength(2);
    expect(world.socket.query.get('lastId')).toBe('two');
    world.socket.say(greeting, said('three'));
    expect(state()).toBe('open');
    expect(events.filter(({ type }) => type === 'CHAT').map(({ id }) => id)).toEqual(['one', 'two', 'three']);
  });

  test.each([1001, 1013, 1006])('comes back after close code %i', async (code) => {
    const { world } = start();
    await pass();
    world.socket.say(greeting);
    world.socket.drop(code);
    await pass(4_000);
    expect(world.sockets).toHaveLength(2);
  });

  test('waits longer with every failure while the server is away, and does not blame the sockets', async () => {
    const { world, state } = start();
    world.isOff = 'unreachable';
    await pass();
    const opened: number[] = [];
    for (let time = 0; time < 600; time += 1) {
      if (world.sockets.length > opened.length) {
        opened.push(Date.now());
        world.socket.drop();
      }
      await pass(100);
    }
    const waits = opened.slice(1).map((at, index) => at - (opened[index] ?? 0));
    expect(waits.length).toBeGreaterThan(4);
    expect(waits).toEqual(waits.toSorted((one, other) => one - other));
    expect(world.sources).toHaveLength(0);
    expect(state()).toBe('lost');
  });

  test('does not wait when the network is back', async () => {
    const { world, connection } = start();
    await pass();
    world.socket.say(greeting);
    world.socket.drop();
    await pass();
    connection.retryNow();
    await pass();
    expect(world.sockets).toHaveLength(2);
  });

  test('a retry while it is open changes nothing', async () => {
    const { world, connection } = start();
    await pass();
    world.socket.say(greeting);
    connection.retryNow();
    await pass();
    expect(world.sockets).toHaveLength(1);
    expect(world.socket.isClosedByPage).toBe(false);
  });

  test('registers anew when the server does not know the token', async () => {
    const world = new FakeWorld();
    world.token = 'forgotten';
    const { state } = start(world);
    await pass();
    world.socket.say({ type: 'ERROR_NEEDS_REGISTRATION' });
    world.socket.drop(1008);
    await pass(2_000);
    expect(world.registrations).toBe(1);
    expect(world.token).toBe('token-1');
    world.socket.say(greeting);
    expect(state()).toBe('open');
  });

  test('tries to register again when that fails', async () => {
    const world = new FakeWorld();
    world.isRegistrationBroken = true;
    start(world);
    await pass(500);
    world.isRegistrationBroken = false;
    await pass(5_000);
    expect(world.sockets).toHaveLength(1);
  });

  test.each([
    ['told so', (world: FakeWorld) => world.socket.say({ type: 'ERROR_USER_DISABLED' })],
    ['closed with 1008', (world: FakeWorld) => world.socket.drop(1008)],
  ])('stays away after being removed (%s)', async (_how, remove) => {
    const { world, state } = start();
    await pass();
    world.socket.say(greeting);
    remove(world);
    await pass(120_000);
    expect(state()).toBe('disabled: removed');
    expect(world.sockets).toHaveLength(1);
  });

  test('what an ended connection still says is not heard', async () => {
    const { world, connection, events } = start();
    await pass();
    const { socket } = world;
    const late = socket.onmessage;
    connection.stop();
    late?.({ data: JSON.stringify(said('late')) });
    expect(events).toEqual([]);
    expect(socket.isClosedByPage).toBe(true);
  });

  test('can be started again after a stop', async () => {
    const { world, connection, state } = start();
    await pass();
    connection.stop();
    connection.start();
    await pass();
    world.socket.say(greeting);
    expect(state()).toBe('open');
  });
});

describe('while chat is off', () => {
  test('it asks, and comes in within two seconds of its being on again', async () => {
    const { world, state } = start();
    world.isOff = true;
    await pass();
    world.socket.drop();
    await pass(60_000);
    expect(state()).toBe('disabled: off');
    expect(world.sockets).toHaveLength(1);
    world.isOff = false;
    await pass(2_000);
    world.socket.say(greeting);
    expect(state()).toBe('open');
  });

  test('a server that does not answer is asked less often', async () => {
    const { world } = start();
    world.isOff = true;
    await pass();
    world.socket.drop();
    await pass(2_000);
    world.isOff = 'unreachable';
    const before = world.offChecks;
    await pass(60_000);
    expect(world.offChecks - before).toBeLessThanOrEqual(5);
  });

  test('a page that knows it from the start does not even register', async () => {
    const world = new FakeWorld();
    world.isOff = true;
    const { state } = start(world, true);
    await pass(60_000);
    expect(state()).toBe('disabled: off');
    expect(world.registrations).toBe(0);
    expect(world.sockets).toHaveLength(0);
  });
});

describe('when the operator changes who may write', () => {
  test('the page looks at the settings once it is told who it is again', async () => {
    const { world, state } = start();
    await pass();
    world.socket.say(greeting);
    expect(world.offChecks).toBe(0);
    world.socket.say(greeting, greeting);
    await pass(1_000);
    expect(world.offChecks).toBe(1);
    world.isOff = 'unreachable';
    world.socket.say(greeting);
    await pass(1_000);
    expect(state()).toBe('open');
  });
});

describe('where sockets are broken', () => {
  const fallBack = async () => {
    const started = start();
    await pass();
    started.world.socket.drop();
    await pass(1_000);
    started.world.socket.drop();
    await pass();
    return started;
  };

  test('two that never spoke lead to the stream of events', async () => {
    const { world, state, connection } = await fallBack();
    expect(world.sockets).toHaveLength(2);
    world.source.ready('session-1');
    world.source.say(greeting);
    expect(state()).toBe('fallback');
    expect(await connection.send({ type: 'CHAT', body: 'hello' })).toBe(true);
    expect(world.posted).toEqual([
      { token: 'token-1', session: 'session-1', document: { type: 'CHAT', body: 'hello' } },
    ]);
  });

  test('a socket that opens and says nothing counts as broken', async () => {
    const { world } = start();
    await pass(10_000);
    expect(world.socket.isClosedByPage).toBe(true);
    await pass(1_000);
    await pass(10_000);
    expect(world.sources).toHaveLength(1);
  });

  test('a session that is gone is opened anew with the last id', async () => {
    const { world, connection, state } = await fallBack();
    world.source.ready('session-1');
    world.source.say(greeting);
    world.source.say(said('seen'));
    world.isSessionGone = true;
    expect(await connection.send({ type: 'CHAT', body: 'lost' })).toBe(false);
    expect(state()).toBe('lost');
    await pass(5_000);
    // One more socket, since the network may have changed; it fails too.
    expect(world.socket.query.get('lastId')).toBe('seen');
    world.socket.drop();
    await pass();
    expect(world.sources).toHaveLength(2);
    expect(world.source.query.get('lastId')).toBe('seen');
  });

  test('the browser’s own way of trying again is not used', async () => {
    const { world } = await fallBack();
    world.source.ready('session-1');
    world.source.say(greeting);
    const { source } = world;
    source.onerror?.();
    expect(source.isClosedByPage).toBe(true);
  });

  test('events that greet and break do not become a storm of requests', async () => {
    const { world } = await fallBack();
    for (let time = 0; time < 10; time += 1) {
      world.source.ready('s');
      world.source.say(greeting);
      world.source.onerror?.();
      await pass(100);
    }
    expect(world.sources.length).toBeLessThan(3);
  });
});

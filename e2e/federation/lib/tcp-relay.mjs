// One port for each name, there before whoever answers at it: servers that have to know each other can be started one
// after the other, restarted elsewhere, unplugged and plugged in again. It counts who calls.
import { connect, createServer } from 'node:net';
import { afterwards } from '../../lib/cleanup.mjs';

/**
 * @returns {Promise<{port: number, calls: () => number, target: () => number | null, plugIn: (port: number) => void, unplug: () => void, mute: () => void}>}
 *   until `t` has ended.
 */
export async function tcpRelayFor(t) {
  let target = null;
  let isMute = false;
  let calls = 0;
  const sockets = new Set();
  const keep = (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const server = createServer((caller) => {
    calls += 1;
    keep(caller);
    if (target === null) return isMute ? undefined : caller.destroy();
    const answerer = connect(target, '127.0.0.1');
    keep(answerer);
    caller.pipe(answerer).pipe(caller);
    caller.once('close', () => answerer.destroy());
    answerer.once('close', () => caller.destroy());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  afterwards(t, async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    hangUp();
    await closed;
  });
  return {
    port: server.address().port,
    calls: () => calls,
    target: () => target,
    plugIn: (port) => {
      target = port;
    },
    /** Calls are cut, those under way too. */
    unplug: () => {
      [target, isMute] = [null, false];
      hangUp();
    },
    /** Calls are taken and never answered. */
    mute: () => {
      [target, isMute] = [null, true];
      hangUp();
    },
  };
}

// A server that plugins wait for.
import { createServer } from 'node:net';
import { afterwards } from '../../lib/cleanup.mjs';

/** Takes connections and never says a word; `hangUp` ends those that are open. */
export async function silentServer(t) {
  const sockets = new Set();
  const listening = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
  });
  await new Promise((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  afterwards(t, () => {
    hangUp();
    listening.close();
  });
  return { host: `127.0.0.1:${listening.address().port}`, open: () => sockets.size, hangUp };
}

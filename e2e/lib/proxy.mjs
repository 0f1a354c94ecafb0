// A reverse proxy as many are set up: it passes everything on except what makes a socket of a request.
import { createServer, request } from 'node:http';
import { afterwards } from './cleanup.mjs';

/** In front of `server`, until test `t` has ended: `{ http, cut }`; `cut` ends every connection through it at once. */
export async function proxyWithoutUpgrade(t, server) {
  const { hostname, port } = new URL(server.http);
  // Without a listener for upgrades Node treats them as requests.
  const proxy = createServer((incoming, outgoing) => {
    const { upgrade: _, connection: __, ...headers } = incoming.headers;
    const { method, url: path } = incoming;
    const upstream = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const cut = () => proxy.closeAllConnections();
  afterwards(t, async () => {
    const closed = new Promise((resolve) => proxy.close(resolve));
    cut();
    await closed;
  });
  return { http: `http://127.0.0.1:${proxy.address().port}`, cut };
}

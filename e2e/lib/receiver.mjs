// A small HTTP server of somebody else: keeps what it was sent, and has one page to be shown in a frame.
import { createServer } from 'node:http';
import { afterwards } from './cleanup.mjs';

/** @returns {Promise<{url: string, requests: {headers: Record<string, string>, body: string}[]}>} until test `t` has ended. */
export async function receiverFor(t) {
  const requests = [];
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      if (request.method === 'GET') {
        response.setHeader('Content-Type', 'text/html; charset=utf-8');
        response.end('<!doctype html><title>Elsewhere</title><h1>A page from elsewhere</h1>');
        return;
      }
      requests.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
      response.end('thank you');
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(t, () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${server.address().port}/hook`, requests };
}

// Names that exist in this process only: `https://a.test` reaches a port of this machine, and its certificate is trusted.
// Everything here speaks TLS through `tls.connect` (fetch, https, ws), so that peers need no changes to live in a test.
import { syncBuiltinESMExports } from 'node:module';
import tls from 'node:tls';

/** host -> { port, ca } */
const addresses = new Map();
const connect = tls.connect;

tls.connect = function connectByName(...given) {
  const [options] = given;
  const found = typeof options === 'object' && addresses.get(options.servername || options.host);
  if (!found) return connect.apply(this, given);
  const servername = options.servername || options.host;
  const [, ...rest] = given;
  return connect.call(this, { ...options, host: '127.0.0.1', port: found.port, servername, ca: found.ca }, ...rest);
};
syncBuiltinESMExports();

/** Makes `host` reachable; the returned function takes it back. */
export function giveName(host, { port, ca }) {
  addresses.set(host, { port, ca });
  return () => addresses.delete(host);
}

// A small Fediverse: servers and peers with names of their own, over TLS that they verify, on this machine alone.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { PASSWORD } from '../../lib/admin.mjs';
import { afterwards, scratchFolder } from '../../lib/cleanup.mjs';
import { startServer } from '../../lib/server.mjs';
import { eventually } from '../../lib/eventually.mjs';
import { makeAuthority } from './authority.mjs';
import { giveName } from './names.mjs';
import { operatorOf } from './operator.mjs';
import { tcpRelayFor } from './tcp-relay.mjs';

/** A debug build on a busy machine takes seconds for two prime numbers. */
const KEY_MS = 40_000;

/** Waits until the account has its key, which is made when federation is switched on. */
function untilKeyed({ actor }) {
  return eventually(
    async () => {
      const response = await fetch(actor, { headers: { Accept: 'application/activity+json' } });
      return (await response.json()).publicKey?.publicKeyPem;
    },
    { deadlineMs: KEY_MS },
  );
}

/**
 * With these hosts, until test `t` has ended. All hosts are named at once, because each server is told of all others
 * when it starts.
 */
export async function worldFor(t, ...hosts) {
  const folder = await scratchFolder(t);
  const authority = await makeAuthority(folder);
  const endpoints = new Map();
  for (const host of hosts) {
    const relay = await tcpRelayFor(t);
    const { cert, key } = await authority.issue(host);
    afterwards(t, giveName(host, { port: relay.port, ca: authority.pem }));
    endpoints.set(host, { relay, cert, key });
  }
  const endpointOf = (host) => {
    const endpoint = endpoints.get(host);
    if (!endpoint) throw new Error(`${host} is not in this world: ${[...endpoints.keys()].join(', ')}`);
    return endpoint;
  };
  const world = {
    authority,
    folder,
    relay: (host) => endpointOf(host).relay,
    /** host -> port, for those who find their way by themselves. */
    ports: () => Object.fromEntries([...endpoints].map(([host, { relay }]) => [host, relay.port])),
    /** What a server has to be told to find everybody. */
    directions: () =>
      [...endpoints].flatMap(([host, { relay }]) => ['--danger-resolve', `${host}=127.0.0.1:${relay.port}`]),

    /** Gives every host a public address in a scripted network (network.mjs) that leads here. */
    placeIn(network) {
      for (const [number, [host, { relay }]] of [...endpoints].entries()) {
        const address = `93.184.216.${number + 1}`;
        network.name(host, address);
        network.route(address, relay.port);
      }
    },

    /**
     * A real server that federates as `live@host`; `settings` are paths of the admin API and their values.
     * With a scripted `network` it finds others there, and runs without a `--danger-` flag.
     * @returns {Promise<object>} what `startServer` gives, with `http` by name, `host`, `actor` and `operator`.
     */
    async rillcast(host, { settings = {}, dataDir, args = [], isNew = true, network } = {}) {
      const { relay, cert, key } = endpointOf(host);
      const server = await startServer({
        dataDir,
        env: network?.env ?? {},
        args: [
          ...['--tls-cert', cert, '--tls-key', key, '--server-url', `https://${host}`, '--extra-ca', authority.file],
          ...['--admin-password', PASSWORD, '--log', 'info,federation=debug,outbound=debug'],
          ...[...(network ? [] : world.directions()), ...args],
        ],
      });
      afterwards(t, server.kill);
      relay.plugIn(Number(new URL(server.http).port));
      const named = { ...server, http: `https://${host}`, host, actor: `https://${host}/federation/user/live` };
      named.operator = operatorOf(named);
      if (isNew) {
        // The preview image is no part of these tests, and nobody waits for it.
        const usual = { 'federation/livedelay': 0, 'federation/enable': true };
        for (const [path, value] of Object.entries({ ...settings, ...usual })) await named.operator.set(path, value);
        await untilKeyed(named);
      }
      return named;
    },

    /** A TLS server of the test at `host`; `handler` is that of node:https. */
    async serve(host, handler) {
      const { relay, cert, key } = endpointOf(host);
      const server = createServer({ cert: await readFile(cert), key: await readFile(key) }, (request, response) => {
        // A client that kept the connection would find this server under its name in the next test.
        response.setHeader('Connection', 'close');
        return handler(request, response);
      });
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
      relay.plugIn(server.address().port);
      afterwards(t, () => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
      });
      return server;
    },
  };
  return world;
}

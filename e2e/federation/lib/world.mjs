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
import { lineFor } from './switchboard.mjs';

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
  const places = new Map();
  for (const host of hosts) {
    const line = await lineFor(t);
    const { cert, key } = await authority.issue(host);
    afterwards(t, giveName(host, { port: line.port, ca: authority.pem }));
    places.set(host, { line, cert, key });
  }
  const placeOf = (host) => {
    const place = places.get(host);
    if (!place) throw new Error(`${host} is not in this world: ${[...places.keys()].join(', ')}`);
    return place;
  };
  const world = {
    authority,
    folder,
    line: (host) => placeOf(host).line,
    /** host -> port, for those who find their way by themselves. */
    ports: () => Object.fromEntries([...places].map(([host, { line }]) => [host, line.port])),
    /** What a server has to be told to find everybody. */
    directions: () => [...places].flatMap(([host, { line }]) => ['--danger-resolve', `${host}=127.0.0.1:${line.port}`]),

    /** Gives every host a public address in a scripted network (network.mjs) that leads here. */
    placeIn(network) {
      for (const [number, [host, { line }]] of [...places].entries()) {
        const address = `93.184.216.${number + 1}`;
        network.name(host, address);
        network.route(address, line.port);
      }
    },

    /**
     * A real server that federates as `live@host`; `settings` are paths of the admin API and their values.
     * With a scripted `network` it finds others there, and runs without a `--danger-` flag.
     * @returns {Promise<object>} what `startServer` gives, with `http` by name, `host`, `actor` and `operator`.
     */
    async rillcast(host, { settings = {}, dataDir, args = [], isNew = true, network } = {}) {
      const { line, cert, key } = placeOf(host);
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
      line.plugIn(Number(new URL(server.http).port));
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
      const { line, cert, key } = placeOf(host);
      const server = createServer({ cert: await readFile(cert), key: await readFile(key) }, (request, response) => {
        // A client that kept the connection would find this server under its name in the next test.
        response.setHeader('Connection', 'close');
        return handler(request, response);
      });
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
      line.plugIn(server.address().port);
      afterwards(t, () => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
      });
      return server;
    },
  };
  return world;
}

// Several servers that are one: a PostgreSQL, a NATS and machines.
import { join } from 'node:path';
import { basicClient, SET_UP } from './admin.mjs';
import { scratchFolder } from './cleanup.mjs';
import { natsFor, postgresFor } from './postgres.mjs';
import { serverFor, WITHOUT_FFMPEG } from './server.mjs';

/** Machines of these names, started one after the other, until test `t` has ended; `args` are for all of them. */
export async function clusterFor(t, names, { args = [] } = {}) {
  const [database, nats] = await Promise.all([postgresFor(t), natsFor(t)]);
  const key = join(await scratchFolder(t), 'secret.key');
  const start = (name) =>
    serverFor(t, {
      ...WITHOUT_FFMPEG,
      args: [
        ...['--database-url', database, '--secret-key-file', key],
        ...['--cluster', 'e2e', '--nats', nats, '--node-name', name, '--node-header'],
        ...['--trusted-proxies', '127.0.0.1', ...SET_UP, ...args],
      ],
    });
  const machines = [];
  // The first one makes the key and the tables.
  for (const name of names) machines.push(await start(name));
  return machines;
}

/** The machines as the admin of one of them sees them. */
export async function machinesAt(server) {
  return (await basicClient(server).get('/api/admin/nodes')).json();
}

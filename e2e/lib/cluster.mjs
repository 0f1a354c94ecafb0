// Several servers that are one: a PostgreSQL, a NATS and machines.
import { join } from 'node:path';
import { PASSWORD, sessionClient, SET_UP } from './admin.mjs';
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

/**
 * Signs in at one of the machines; `at(machine)` is the admin API of any of them, and no password is verified again.
 * @returns {Promise<{at: (machine: {http: string}) => ReturnType<typeof sessionClient>}>}
 */
export async function adminOf(machine) {
  const response = await fetch(`${machine.http}/api/admin/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Rillcast-CSRF': '1' },
    body: JSON.stringify({ password: PASSWORD }),
  });
  if (!response.ok) throw new Error(`signing in failed: ${response.status} ${await response.text()}`);
  const [line] = response.headers.getSetCookie();
  const cookie = line.split(';')[0];
  return { at: (other) => sessionClient(other, { cookie }) };
}

/** The machines as an admin (`adminOf`) sees them at one of them. */
export async function machinesAt(server, admin) {
  return (await admin.at(server).get('/api/admin/nodes')).json();
}

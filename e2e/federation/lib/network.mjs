// The network around one server, scripted: see network.c. The server runs as it would for an operator, without a
// `--danger-` flag, and every look-up and connection of it is known.
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratchFolder } from '../../lib/cleanup.mjs';
import { tool } from '../../lib/command.mjs';

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), 'network.c');

/**
 * @returns {Promise<{env: Record<string, string>, name: (host: string, ...answers: string[]) => void,
 *   route: (address: string, port: number) => void, lookups: (host: string) => number, connections: () => string[]}>}
 *   `name` says what a host resolves to, look-up by look-up; `route` where an address leads.
 */
export async function networkFor(t) {
  const folder = join(await scratchFolder(t), 'network');
  await mkdir(folder);
  const library = join(folder, 'network.so');
  await tool('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl', '-pthread']);
  const [names, routes] = [new Map(), new Map()];
  const write = (file, entries) =>
    writeFileSync(join(folder, file), [...entries].map(([key, value]) => `${key} ${value}\n`).join(''));
  write('names', names);
  write('routes', routes);
  write('log', []);
  const logged = (kind) =>
    readFileSync(join(folder, 'log'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith(`${kind} `))
      .map((line) => line.split(' ')[1]);
  return {
    env: { LD_PRELOAD: library, RILLCAST_E2E_NETWORK: folder },
    name: (host, ...answers) => write('names', names.set(host, answers.join(' '))),
    route: (address, port) => write('routes', routes.set(address, port)),
    lookups: (host) => logged('lookup').filter((one) => one === host).length,
    connections: () => logged('connect'),
  };
}

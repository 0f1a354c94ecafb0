// A PostgreSQL of a test's own, and a NATS.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterwards, atExit } from './cleanup.mjs';

/** Its address as the server takes it; it is gone when test `t` has ended. */
export function postgresFor(t) {
  return beside(t, 'postgres.sh', 'TEST_POSTGRES_URL');
}

/** The address of a NATS server with JetStream; it is gone when test `t` has ended. */
export function natsFor(t) {
  return beside(t, 'nats.sh', 'RILLCAST_TEST_NATS');
}

/** What a script that runs a command beside a server says of it in a variable. */
async function beside(t, name, variable) {
  const script = fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url));
  // Says where it is, and holds it open.
  const holder = ['sh', '-c', `echo "$${variable}"; exec sleep infinity`];
  const child = spawn(script, ['with', '--', ...holder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const forget = atExit(() => child.kill('SIGTERM'));
  const ended = once(child, 'close');
  afterwards(t, async () => {
    child.kill('SIGTERM');
    await ended;
    forget();
  });
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error(`${name} did not start its server`);
}

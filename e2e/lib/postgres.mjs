// A PostgreSQL of a test's own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterwards, atExit } from './cleanup.mjs';

const SCRIPT = fileURLToPath(new URL('../../scripts/postgres.sh', import.meta.url));

/** Its address as the server takes it; it is gone when test `t` has ended. */
export async function postgresFor(t) {
  // Says where it is, and holds it open.
  const holder = ['sh', '-c', 'echo "$TEST_POSTGRES_URL"; exec sleep infinity'];
  const child = spawn(SCRIPT, ['with', '--', ...holder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const forget = atExit(() => child.kill('SIGTERM'));
  const ended = once(child, 'close');
  afterwards(t, async () => {
    child.kill('SIGTERM');
    await ended;
    forget();
  });
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('PostgreSQL did not start');
}

// Starts an account made with bovine (bovine_peer.py) beside the test, and tells it what to do.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterwards, atExit } from '../../lib/cleanup.mjs';
import { run } from '../../lib/command.mjs';
import { eventually } from '../../lib/eventually.mjs';
import { ARRIVAL_MS } from './operator.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const SCRIPT = join(HERE, '../../../scripts/bovine.py');
const INSTALL_MS = 240_000;
const SKIPPED = 77;

/** The Python that has bovine, or undefined where it cannot be had; in CI that is a failure. */
export async function pythonWithBovine() {
  const { code, stdout, stderr } = await run('python3', [SCRIPT], { deadlineMs: INSTALL_MS });
  if (code === 0) return stdout.trim();
  if (code !== SKIPPED || process.env.CI === 'true') throw new Error(`bovine cannot be installed: ${stderr}`);
  return undefined;
}

/** At `host` of a world, until test `t` has ended. */
export async function bovineFor(t, world, host, python) {
  const { cert, key } = await world.authority.issue(host);
  const child = spawn(
    python,
    [join(HERE, 'bovine_peer.py'), host, JSON.stringify(world.ports()), world.authority.file, cert, key],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const forget = atExit(() => child.kill('SIGKILL'));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors = (errors + text).slice(-20_000);
  });
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`bovine has ended: ${errors}`);
    return JSON.parse(value);
  };
  afterwards(t, async () => {
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
    forget();
  });
  const { port, id } = await next();
  world.relay(host).plugIn(port);

  /** One order at a time; what bovine objects to is thrown. */
  const ask = async (order) => {
    child.stdin.write(`${JSON.stringify(order)}\n`);
    const { answer, error } = await next();
    if (error) throw new Error(`bovine: ${error}`);
    return answer;
  };
  return {
    id,
    ask,
    send: (to, activity) => ask({ do: 'send', to, activity }),
    /** Waits for an activity of `type`. */
    hears: (type) =>
      eventually(
        async () => {
          const { received, refused } = await ask({ do: 'received' });
          const found = received.find((activity) => activity.type === type);
          if (found) return found;
          throw new Error(
            `bovine hears no ${type}: [${received.map((one) => one.type)}], refused ${refused}\n${errors}`,
          );
        },
        { deadlineMs: ARRIVAL_MS },
      ),
  };
}

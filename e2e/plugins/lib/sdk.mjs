// The SDK of plugin authors: its wheel, and commands as an author runs them.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, tool } from '../../lib/command.mjs';
import { cleanEnvironment } from '../../lib/server.mjs';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** A virtual environment, a build, or the first run of the host on a busy machine. */
export const PATIENCE_MS = 55_000;

/** The wheel as `make build` makes it. */
export async function builtWheel() {
  const output = await tool('python3', [join(ROOT, 'scripts', 'wheel.py')], { deadlineMs: PATIENCE_MS });
  return output.trim();
}

/** The SDK's own tests that need the real host, those of one file; none of them may leave itself out. */
export async function ownTests(pattern) {
  const env = cleanEnvironment({
    SERVICE_PLUGIN_HOST: process.env.RILLCAST_BIN,
    SERVICE_PLUGIN_WHEEL: await builtWheel(),
  });
  const where = ['-s', 'sdk/python/tests', '-t', 'sdk/python', '-p', pattern];
  const args = ['-m', 'unittest', 'discover', ...where];
  const { code, stderr } = await run('python3', args, { cwd: ROOT, env, deadlineMs: PATIENCE_MS });
  const [, ran] = stderr.match(/^Ran (\d+) tests? in /m) ?? [];
  if (code !== 0 || !Number(ran) || /skipped=/.test(stderr)) throw new Error(stderr);
}

/** An author with nothing but the wheel, in an environment of its own below `folder`; the answer runs its commands. */
export async function authorIn(folder) {
  const venv = join(folder, '.venv');
  const bin = join(venv, 'bin');
  // What the tests themselves were given must not help, and nothing comes from the network.
  const env = cleanEnvironment({ PATH: `${bin}:/usr/bin:/bin`, PIP_NO_INDEX: '1', PYTHONPATH: '' });
  const does = (cwd, program, ...args) => tool(program, args, { cwd, env, deadlineMs: PATIENCE_MS });
  await tool('python3', ['-m', 'venv', venv], { deadlineMs: PATIENCE_MS });
  await does(folder, join(bin, 'pip'), 'install', '--quiet', '--disable-pip-version-check', await builtWheel());
  env.SERVICE_PLUGIN_HOST = process.env.RILLCAST_BIN;
  return { does: (cwd, ...args) => does(cwd, join(bin, 'service-plugin-py'), ...args) };
}

// The public SDK for plugins, as its authors publish it, with our program in place of the hosts that it would fetch.
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { run, tool } from '../../lib/command.mjs';
import { cleanEnvironment } from '../../lib/server.mjs';
import { PATIENCE_MS, ROOT } from './sdk.mjs';

const SCRIPT = join(ROOT, 'scripts', 'public_sdk.py');
const INSTALL_MS = 150_000;
const SKIPPED = 77;
/** The names by which it starts its hosts. */
const HOSTS = ['owncast-plugin-test', 'owncast-plugin-serve'];

/** The path of its command; undefined where it cannot be had, which is a failure in CI. */
export async function publicSdk() {
  const { code, stdout, stderr } = await run('python3', [SCRIPT], { deadlineMs: INSTALL_MS });
  if (code === 0) return stdout.trim();
  if (code !== SKIPPED || process.env.CI === 'true') throw new Error(`the public SDK cannot be installed: ${stderr}`);
  return undefined;
}

/** An author who has nothing else, below `folder`; the answer runs its commands. */
export async function publicAuthorIn(folder, command) {
  const hosts = join(folder, 'hosts');
  await mkdir(hosts);
  for (const name of HOSTS) await symlink(process.env.RILLCAST_BIN, join(hosts, name));
  const env = cleanEnvironment({ OWNCAST_PLUGIN_HOST_BIN_DIR: hosts });
  return { does: (cwd, ...args) => tool(command, args, { cwd, env, deadlineMs: PATIENCE_MS }) };
}

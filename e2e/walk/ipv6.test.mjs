// A proxy on another machine, known by its address of IPv6.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run } from '../lib/command.mjs';

const SCRIPT = fileURLToPath(new URL('../lib/ipv6-crowd.mjs', import.meta.url));
const ADDRESS = '2001:db8::7';
/** More than one stranger may have. */
const CROWD = 600;

test('a crowd comes through a trusted proxy of IPv6, and a stranger there has a limit', async (t) => {
  // Loopback is no stranger, so the machine gets another address, in a network that nobody else sees.
  const network = `ip link set lo up && ip -6 addr add ${ADDRESS}/64 dev lo nodad`;
  const script = `${network} && exec ${process.execPath} ${SCRIPT} ${ADDRESS} ${CROWD}`;
  const { code, stdout, stderr } = await run('unshare', ['-rn', 'sh', '-c', script], { deadlineMs: 60_000 });
  assert.equal(code, 0, stderr);
  const { trusted, stranger } = JSON.parse(stdout);
  t.diagnostic(stdout);
  assert.deepEqual(trusted, { 100: CROWD });
  assert.ok(stranger[100] <= 512 && stranger.closed > 0, 'a stranger has a share');
});

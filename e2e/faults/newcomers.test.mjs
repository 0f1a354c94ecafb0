// Thousands of new people at once, each from an address of their own.
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import { SET_UP } from '../lib/admin.mjs';
import { join, sayAndHear } from '../lib/chat.mjs';
import { serverFor } from '../lib/server.mjs';

/** More than come in at once and can wait. */
const NEWCOMERS = 2_000;
const AT_ONCE = 1_500;

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

/** Registers from an address; `{ status, retryAfter }`. */
function registerFrom(server, address) {
  return new Promise((resolve, reject) => {
    const headers = { 'X-Forwarded-For': address, 'Content-Length': 0 };
    const asking = request(`${server.http}/api/chat/register`, { method: 'POST', agent, headers }, (answer) => {
      const { statusCode: status, headers: said } = answer;
      answer.resume().on('end', () => resolve({ status, retryAfter: said['retry-after'] }));
    });
    asking.on('error', reject).end();
  });
}

test('of two thousand newcomers at once some come in, the rest is asked to wait, and the chat goes on', async (t) => {
  t.after(() => agent.destroy());
  const server = await serverFor(t, { args: ['--trusted-proxies', '127.0.0.1', ...SET_UP] });
  const ada = await join(server, 'Ada');
  const flood = Array.from({ length: NEWCOMERS }, (_, n) => registerFrom(server, `11.${n >> 8}.${n & 255}.1`));
  await sayAndHear(ada, 'still here');
  const answers = await Promise.all(flood);
  const entered = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  t.diagnostic(`${entered.length} came in, ${refused.length} were asked to wait`);
  assert.equal(entered.length + refused.length, NEWCOMERS);
  assert.ok(entered.length >= 100, 'a hundred come in at once');
  assert.ok(refused.length > 0);
  for (const { retryAfter } of refused) assert.equal(retryAfter, '2');
  // Afterwards the door is open as before.
  assert.equal((await registerFrom(server, '12.0.0.1')).status, 200);
  await sayAndHear(ada, 'still here, afterwards');
  await ada.leave();
});

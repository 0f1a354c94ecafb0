// The whole server on PostgreSQL.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, setUp } from '../lib/admin.mjs';
import { enter, history, join, sayAndHear } from '../lib/chat.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { rillcast } from '../lib/command.mjs';
import { postgresFor } from '../lib/postgres.mjs';
import { serverFor } from '../lib/server.mjs';

test('on PostgreSQL people chat, the operator comes in by a link, and a power cut takes nothing', async (t) => {
  const database = ['--database-url', await postgresFor(t)];
  const dataDir = await scratchFolder(t);
  const first = await serverFor(t, { dataDir, args: database });
  await setUp(first);
  const ada = await join(first, 'Ada');
  const message = await sayAndHear(ada, 'kept by PostgreSQL');

  const made = await rillcast(['admin', 'session', '--data-dir', dataDir, ...database]);
  assert.equal(made.code, 0, made.stderr);
  const token = new URL(made.stdout.trim()).hash.slice(1);
  const use = async () => {
    const answer = await fetch(`${first.http}/api/admin/session/link`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Rillcast-CSRF': '1' },
      body: JSON.stringify({ token }),
    });
    return answer.status;
  };
  assert.equal(await use(), 200);
  assert.notEqual(await use(), 200, 'it works once');

  const elsewhere = await scratchFolder(t);
  const second = await rillcast(['--data-dir', elsewhere, '--listen', '127.0.0.1:0', ...database]);
  assert.notEqual(second.code, 0);
  assert.match(second.stderr, /another Rillcast uses this database/);

  await first.kill();
  const again = await serverFor(t, { dataDir, args: database });
  const lines = await history(again, ada.person);
  assert.ok(lines.some(({ id }) => id === message.id), 'the line is still there');
  const back = await enter(again, ada.person);
  await sayAndHear(back, 'and back');
  await back.leave();
  const reset = await rillcast(['admin', 'reset-password', '--data-dir', dataDir, ...database]);
  assert.equal(reset.code, 0, reset.stderr);
  const signIn = await fetch(`${again.http}/api/admin/session`, {
    method: 'POST',
    body: JSON.stringify({ password: PASSWORD }),
  });
  assert.equal(signIn.status, 401, 'the old password has ended');
});

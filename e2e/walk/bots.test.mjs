// The bots of docs/integrations-api.md do what the page says, as they stand there.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { test } from 'node:test';
import { basicClient, PASSWORD } from '../lib/admin.mjs';
import { join } from '../lib/chat.mjs';
import { afterwards } from '../lib/cleanup.mjs';
import { eventually } from '../lib/eventually.mjs';
import { serverFor } from '../lib/server.mjs';

const page = readFileSync(new URL('../../docs/integrations-api.md', import.meta.url), 'utf8');

/** The one example in a language. */
function example(language) {
  const found = [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code);
  assert.equal(found.length, 1, `examples in ${language}`);
  return found[0];
}

async function token(server, scopes) {
  const answer = await basicClient(server).post('/api/admin/accesstokens/create', { name: 'Poll bot', scopes });
  assert.equal(answer.status, 200, answer.text);
  return answer.json().accessToken;
}

/** Runs an example in a process group of its own, so that its children end with it. */
function run(t, program, language, environment) {
  const folder = mkdtempSync(joinPath(tmpdir(), 'rillcast-bot-'));
  afterwards(t, () => rmSync(folder, { recursive: true }));
  const file = joinPath(folder, 'bot');
  writeFileSync(file, example(language));
  const bot = spawn(program, [file], {
    env: { PATH: process.env.PATH, ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const result = { text: '', code: undefined };
  bot.stdout.on('data', (chunk) => (result.text += chunk));
  bot.stderr.on('data', (chunk) => (result.text += chunk));
  bot.once('exit', (code) => (result.code = code));
  afterwards(t, () => {
    try {
      process.kill(-bot.pid, 'SIGKILL');
    } catch {
      // Its end came first.
    }
  });
  return result;
}

for (const [program, language, reply] of [
  ['python3', 'python', '<p>pong, ada</p>'],
  ['sh', 'sh', '<p>pong from the shell</p>'],
]) {
  test(`the bot in ${language} answers in the chat`, async (t) => {
    const server = await serverFor(t, { args: ['--admin-password', PASSWORD, '--set', 'chat_spam_protection=false'] });
    const bot = run(t, program, language, {
      RILLCAST_URL: server.http,
      RILLCAST_TOKEN: await token(server, ['CAN_SEND_MESSAGES']),
    });
    const ada = await join(server, 'ada');
    // It takes a moment to start, and hears only what is said afterwards.
    let rounds = 0;
    await eventually(() => {
      assert.equal(bot.code, undefined, bot.text);
      if (rounds++ % 20 === 0) ada.say('!ping');
      return ada.events.find(({ type, body, user }) => type === 'CHAT' && body === reply && user.isBot);
    });
    await ada.leave();
  });
}

test('the bot in python says what is wrong with its token', async (t) => {
  const server = await serverFor(t, { args: ['--admin-password', PASSWORD] });
  const bot = run(t, 'python3', 'python', { RILLCAST_URL: server.http, RILLCAST_TOKEN: 'garbage' });
  await eventually(() => bot.code !== undefined);
  assert.match(bot.text, /401: unauthorized/);
  assert.notEqual(bot.code, 0);
});

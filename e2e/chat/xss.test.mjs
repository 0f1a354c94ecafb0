// Hostile text in every place that people can fill: names, lines, replies, what a browser says it is, names of emoji.
// It is shown by the viewers' pages and the operator's, and none of it runs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { basicClient, PASSWORD } from '../lib/admin.mjs';
import { UNAUTHORIZED, useBrowser } from '../lib/browser.mjs';
import { enter, join, register, sayAndHear } from '../lib/chat.mjs';
import { eventually } from '../lib/eventually.mjs';
import { headerText, payloads, provoke, watchExecution } from '../lib/hostile.mjs';
import { startServer } from '../lib/server.mjs';
import { idOf, lines, myName, openChat, openModeration, NO_FLOOD_PROTECTION } from '../lib/chat-page.mjs';

const IS_LONG = process.env.RILLCAST_RING === 'all';
/** Payloads that are in the page at the same time. */
const CHUNK = 30;
/** A picture of one pixel. */
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const withPage = useBrowser();
let server;
let admin;
let chosen;
before(async () => {
  server = await startServer({ args: ['--admin-password', PASSWORD, ...NO_FLOOD_PROTECTION] });
  admin = basicClient(server);
  const all = await payloads();
  // Some of each kind: neighbours in the corpus are alike.
  const step = IS_LONG ? 1 : Math.floor(all.length / CHUNK);
  chosen = all.filter((_, index) => index % step === 0).slice(0, IS_LONG ? all.length : CHUNK);
});
after(() => server?.stop());

const chunks = (list) =>
  Array.from({ length: Math.ceil(list.length / CHUNK) }, (_, n) => list.slice(n * CHUNK, (n + 1) * CHUNK));

/** Somebody with a hostile name and a hostile browser says a hostile line and answers it. */
async function attack(payload, number) {
  const person = await register(server, payload);
  const attacker = await enter(server, person, { headers: { 'User-Agent': headerText(payload) || 'none' } });
  attacker.say(payload);
  // Of some texts nothing is left to show; then only this comes back.
  const after = await sayAndHear(attacker, `line ${number} was said`, undefined, /was said/);
  const own = attacker.events.find(({ type, user }) => type === 'CHAT' && user.id === person.id);
  const wasTaken = own !== after;
  if (wasTaken) await sayAndHear(attacker, `answer ${number} to ${payload}`.slice(0, 500), own.id, /answer/);
  return { attacker, wasTaken, number };
}

/** What a moderator sees of somebody, from one of their lines; returns what should not be there. */
async function lookAtPerson(page, line) {
  // Behind other pages a browser may leave a pointer where it is.
  await page.bringToFront();
  // On a busy machine the list may move under the menu, which closes it; a person opens it again.
  const open = async () => {
    const menu = await openModeration(page, line);
    await menu.getByRole('menuitem', { name: 'More about this person' }).click({ timeout: 3000 });
    return true;
  };
  await eventually(open, { deadlineMs: 30_000 });
  const dialog = page.getByRole('dialog');
  await dialog.getByText('First seen').waitFor();
  const found = await provoke(page);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  return found;
}

/** The operator's pages about people and what they say. */
async function lookAsOperator(page) {
  for (const path of ['chat/messages', 'chat/users', 'chat/emojis', 'config-chat']) {
    await page.goto(`${server.http}/admin/${path}`);
    await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
    assert.deepEqual(await provoke(page), [], `in the operator’s page ${path}`);
  }
}

test('hostile lines, names and replies run nowhere', async (t) => {
  const found = [];
  let taken = 0;
  await withPage({ allow: [UNAUTHORIZED, /status of 404/] }, async (page, context) => {
    const executed = await watchExecution(context, server);
    await openChat(page, server.http);
    const userId = await idOf(admin, await myName(page));
    await admin.post('/api/admin/chat/users/setmoderator', { userId, isModerator: true });
    const token = await page.evaluate(() => localStorage.getItem('rillcast.chat.token'));
    // The same person twice: the page, and one who changes the name that the page shows.
    const self = await enter(server, { token, id: userId, name: 'self' });
    const overlay = await context.newPage();
    await openChat(overlay, server.http, { path: '/embed/chat/readonly' });
    const operator = await context.newPage();
    await operator.goto(`${server.http}/admin/`);
    await operator.getByLabel('Password').fill(PASSWORD);
    await operator.getByRole('button', { name: 'Sign in' }).click();
    await operator.getByRole('navigation').first().waitFor();

    for (const [number, chunk] of chunks(chosen).entries()) {
      const attacks = [];
      for (const [index, payload] of chunk.entries()) attacks.push(await attack(payload, number * CHUNK + index));
      taken += attacks.filter(({ wasTaken }) => wasTaken).length;
      self.send({ type: 'NAME_CHANGE', newName: chunk[0] });
      const marker = await join(server, 'marker');
      await sayAndHear(marker, `that was chunk ${number}.`);
      // It was scrolled to a line.
      const toEnd = page.locator('.chat-to-end');
      if (await toEnd.isVisible()) await toEnd.click();
      for (const one of [page, overlay]) {
        await lines(one, `that was chunk ${number}.`).waitFor();
        found.push(...(await provoke(one)));
      }
      const last = attacks.findLast(({ wasTaken }) => wasTaken);
      if (last) found.push(...(await lookAtPerson(page, `line ${last.number} was said`)));
      await lookAsOperator(operator);
      await Promise.all([marker, ...attacks.map(({ attacker }) => attacker)].map((client) => client.leave()));
    }
    await page.reload();
    await lines(page, 'that was chunk').last().waitFor();
    found.push(...(await provoke(page)));
    found.push(...executed);
    await self.leave();
    assert.equal(context.pages().length, 3, 'a window was opened');
    assert.ok(page.url().startsWith(server.http), 'the page was left');
  });
  t.diagnostic(`payloads=${chosen.length} shown=${taken} executed=${found.length}`);
  assert.deepEqual(found, []);
  assert.ok(taken > chosen.length / 2, `only ${taken} of ${chosen.length} lines were shown at all`);
});

test('what runs would be noticed', () =>
  withPage({ allow: [/Content Security Policy/, /status of 404/] }, async (page, context) => {
    const executed = await watchExecution(context, server);
    await openChat(page, server.http);
    await page.evaluate(() => {
      const place = document.querySelector('#chat-container');
      place.insertAdjacentHTML('beforeend', '<img src=/x.png onerror=alert(1)><a href="javascript:alert(1)">x</a>');
      place.insertAdjacentHTML('beforeend', '<img src=http://192.0.2.1/x.png>');
    });
    const found = await provoke(page);
    assert.equal(found.length, 2, found.join('\n'));
    const kinds = [/script-src/, /img-src|a request to http:\/\/192/];
    await eventually(() => kinds.every((kind) => executed.some((text) => kind.test(text))));
    await page.evaluate(() => window.alert('called'));
    assert.ok(executed.includes('alert(called)'));
  }));

test('a hostile name is no name of an emoji, and a document is no picture', async () => {
  for (const payload of chosen) {
    for (const document of [
      { name: `${payload}.png`, data: PNG },
      { name: 'fine.png', data: PNG, pack: payload },
      { name: 'fine.png', data: `data:image/png;base64,${Buffer.from(payload).toString('base64')}` },
      { name: 'fine.svg', data: `data:image/svg+xml;base64,${Buffer.from(payload).toString('base64')}` },
    ]) {
      const answer = await admin.post('/api/admin/emoji/upload', document);
      assert.equal(answer.status, 400, `${JSON.stringify(document)}: ${answer.text}`);
    }
  }
  const emoji = await (await fetch(`${server.http}/api/emoji`)).json();
  assert.deepEqual(
    emoji.filter(({ builtin }) => !builtin),
    [],
  );
  assert.equal((await admin.post('/api/admin/emoji/upload', { name: 'dot.png', data: PNG })).status, 200);
});

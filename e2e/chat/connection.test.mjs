// The way between a page and the chat: slow mode, a chat that is turned off, a server that dies, a proxy that breaks sockets.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { basicClient, PASSWORD } from '../lib/admin.mjs';
import { useBrowser } from '../lib/browser.mjs';
import { enter, join, sayAndHear } from '../lib/chat.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { eventually } from '../lib/eventually.mjs';
import { proxyWithoutUpgrade } from '../lib/proxy.mjs';
import { serverFor } from '../lib/server.mjs';
import {
  bodies,
  field,
  lines,
  openChat,
  NO_FLOOD_PROTECTION,
  untilBodies,
  untilChat,
  write,
} from '../lib/chat-page.mjs';

const withPage = useBrowser();
const ARGS = ['--admin-password', PASSWORD, ...NO_FLOOD_PROTECTION];
/** What Chromium says about requests and sockets to a server that is not there. */
const GONE = [/WebSocket connection to/, /Failed to load resource/, /ERR_CONNECTION_REFUSED/];

describe('the way to the chat', { concurrency: 2 }, () => {
  test('slow mode counts down in the page, and then one may write again', async (t) => {
    const server = await serverFor(t, { args: [...ARGS, '--set', 'chat_slow_mode_seconds=3'] });
    await withPage({}, async (page) => {
      await openChat(page, server.http);
      await write(page, 'one');
      await page.getByText(/You can write again in 0:0\d/).waitFor();
      await field(page).fill('two');
      await field(page).press('Enter');
      assert.equal(await field(page).inputValue(), 'two', 'it waits with the one who wrote it');
      await page.getByText(/You can write again in/).waitFor({ state: 'detached' });
      await write(page, 'two');
    });
  });

  test('a chat that is turned off is not in new pages, says so where it was, and comes back', async (t) => {
    const server = await serverFor(t, { args: ARGS });
    const admin = basicClient(server);
    await withPage({ allow: GONE }, async (page, context) => {
      // The page waits a while before it asks again; its clock is ours here.
      await page.clock.install();
      let cut;
      await page.routeWebSocket(/\/ws\?/, (socket) => {
        socket.connectToServer();
        cut = () => socket.close({ code: 1001 });
      });
      await openChat(page, server.http);
      await write(page, 'before it is off');
      // Those who are in may stay and hear of it; they cannot write.
      const isOff = page.getByText('The chat is turned off');
      assert.equal((await admin.set('chat/disable', true)).status, 200);
      await isOff.waitFor();
      assert.equal(await field(page).count(), 0);
      assert.equal((await admin.set('chat/disable', false)).status, 200);
      await write(page, 'on again');
      assert.equal((await admin.set('chat/disable', true)).status, 200);
      await isOff.waitFor();
      // Whoever loses the connection does not come in again.
      await cut();
      await untilChat(page, 'lost');
      await page.clock.fastForward('00:05');
      await untilChat(page, 'disabled');
      await page.getByText('The chat is turned off').waitFor();
      assert.equal(await field(page).count(), 0);
      const second = await context.newPage();
      await second.goto(server.http);
      await second.locator('#offline-banner').waitFor();
      assert.equal(await second.locator('#chat-container').count(), 0);
      assert.equal((await admin.set('chat/disable', false)).status, 200);
      await page.clock.fastForward('00:16');
      await untilChat(page, 'open');
      await write(page, 'and on again');
      await untilBodies(page, ['before it is off', 'on again', 'and on again']);
    });
  });

  test('a page whose server was killed comes back by itself, without holes and without doubles', async (t) => {
    const dataDir = await scratchFolder(t);
    const first = await serverFor(t, { dataDir, args: ARGS });
    const listen = new URL(first.http).host;
    await withPage({ allow: GONE }, async (page) => {
      const bob = await join(first, 'bob');
      await openChat(page, first.http);
      await write(page, 'mine, before');
      await sayAndHear(bob, 'his, before');
      await lines(page, 'his, before').waitFor();
      await first.kill();
      await untilChat(page, 'lost');
      await field(page).fill('written while it was away');

      const second = await serverFor(t, { dataDir, listen, args: ARGS });
      const back = await enter(second, bob.person);
      for (const text of ['missed one', 'missed two', 'missed three']) await sayAndHear(back, text);
      await untilChat(page, 'open');
      await lines(page, 'missed three').waitFor();
      assert.equal(await field(page).inputValue(), 'written while it was away');
      await field(page).press('Enter');
      await lines(page, 'written while it was away').waitFor();
      const wanted = [
        ...['mine, before', 'his, before', 'missed one', 'missed two', 'missed three'],
        'written while it was away',
      ];
      await untilBodies(page, wanted);
      await page.reload();
      await untilChat(page, 'open');
      await untilBodies(page, wanted);
      await back.leave();
    });
  });

  test('behind a proxy that breaks sockets people talk all the same, and the operator reads why', async (t) => {
    const server = await serverFor(t, { args: ARGS });
    const admin = basicClient(server);
    const proxy = await proxyWithoutUpgrade(t, server);
    const bob = await join(server, 'bob');
    await withPage({ allow: [...GONE, /status of 426/] }, async (page) => {
      // A socket that comes through would wipe the trouble off.
      await bob.leave();
      await openChat(page, proxy.http, { state: 'fallback' });
      const report = (await admin.get('/api/admin/chat/connection')).json();
      assert.equal(report.missingHeader, 'Upgrade');
      assert.deepEqual([report.websockets, report.fallbacks], [0, 1]);
      assert.ok(report.brokenUpgrades >= 2, `${report.brokenUpgrades} broken`);
      await write(page, 'the long way round');
      const back = await enter(server, bob.person);
      await sayAndHear(back, 'the short way');
      await lines(page, 'the short way').waitFor();
      await back.leave();

      // The stream of events breaks too, now and then.
      proxy.cut();
      const again = await enter(server, bob.person);
      await sayAndHear(again, 'said meanwhile');
      await untilChat(page, 'fallback');
      await lines(page, 'said meanwhile').waitFor();
      const shown = await bodies(page);
      assert.deepEqual(shown, ['the long way round', 'the short way', 'said meanwhile']);
      await again.leave();
    });
  });

  test('the operator’s page names the header that the proxy removes', async (t) => {
    const server = await serverFor(t, { args: ARGS });
    const proxy = await proxyWithoutUpgrade(t, server);
    await withPage({ allow: [/WebSocket connection to/, /status of 426/, /status of 401/] }, async (page) => {
      await openChat(page, proxy.http, { state: 'fallback' });
      await page.goto(`${server.http}/admin/config-chat`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await eventually(async () => (await page.locator('main').innerText()).includes('proxy_set_header Upgrade'));
    });
  });
});

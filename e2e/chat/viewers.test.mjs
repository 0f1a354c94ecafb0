// What the page does for those who take part: joins in one line, when one can write again, which word was refused,
// deleting one's own message, and the message that is pinned above the chat.
import assert from 'node:assert/strict';
import { join as joinPath } from 'node:path';
import { describe, test } from 'node:test';
import { basicClient, PASSWORD } from '../lib/admin.mjs';
import { untilState } from '../lib/broadcast.mjs';
import { useBrowser } from '../lib/browser.mjs';
import { join, sayAndHear } from '../lib/chat.mjs';
import { scratchFolder } from '../lib/cleanup.mjs';
import { eventually } from '../lib/eventually.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor } from '../lib/server.mjs';
import {
  field,
  idOf,
  lines,
  myName,
  NO_FLOOD_PROTECTION,
  openChat,
  openModeration,
  pressOnLine,
  untilChat,
  write,
} from '../lib/chat-page.mjs';

const withPage = useBrowser();
const ARGS = ['--admin-password', PASSWORD, ...NO_FLOOD_PROTECTION];
/** The chat alone, without a player that decodes beside it. */
const ALONE = { path: '/embed/chat/readwrite' };

describe('those who take part', { concurrency: 2 }, () => {
  test('people who join are one line, and in a crowd none', async (t) => {
    const server = await serverFor(t, { args: ARGS });
    publisherFor(t, server);
    await untilState(server, 'live');
    await withPage({}, async (page) => {
      await openChat(page, server.http, ALONE);
      const presence = page.locator('.chat-message_presence');
      await presence.getByText(`${await myName(page)} joined the chat.`).waitFor();
      const wren = await join(server, 'wren');
      const lark = await join(server, 'lark');
      await presence.getByText(`${await myName(page)} and 2 others joined the chat.`).waitFor();
      assert.equal(await presence.count(), 1);
      assert.equal((await basicClient(server).set('chat/joinmessagesmaxpeople', 0)).status, 200);
      await page.reload();
      await untilChat(page, 'open');
      const finch = await join(server, 'finch');
      await sayAndHear(finch, 'did you see me come in?');
      await lines(page, 'did you see me come in?').waitFor();
      assert.equal(await presence.count(), 0);
      // Clients over the wire are told as ever.
      await wren.hears(({ type, user }) => type === 'USER_JOINED' && user.displayName === 'finch');
      for (const person of [wren, lark, finch]) await person.leave();
    });
  });

  test('whoever is timed out sees until when, also after a reload, and that it was lifted', async (t) => {
    const server = await serverFor(t, { args: ARGS });
    const admin = basicClient(server);
    await withPage({}, async (eve) => {
      await openChat(eve, server.http, ALONE);
      const userId = await idOf(admin, await myName(eve));
      const timeOut = async (seconds) => {
        const answer = await admin.post('/api/admin/chat/users/timeout', { userId, seconds });
        assert.equal(answer.status, 200, answer.text);
      };
      const notice = (text) => eve.locator('.chat-message_action.is-notice', { hasText: text });
      const countdown = eve.getByText(/You can write again in (10:00|9:\d\d)/);
      await timeOut(600);
      await notice('A moderator has timed you out.').waitFor();
      await countdown.waitFor();
      await eve.reload();
      await untilChat(eve, 'open');
      await countdown.waitFor();
      await field(eve).fill('hello?');
      // Wide windows do not show it: there Enter sends.
      assert.ok(await eve.locator('.chat-send').isDisabled());
      await timeOut(0);
      await notice('Your timeout was lifted. You can write again.').waitFor();
      assert.equal(await countdown.count(), 0);
      await timeOut(2);
      await notice('Your timeout is over. You can write again.').waitFor();
      await field(eve).press('Enter');
      await lines(eve, 'hello?').waitFor();
    });
  });

  test('a refused message names the word', async (t) => {
    const server = await serverFor(t, { args: [...ARGS, '--set', 'chat_forbidden_words=turnip'] });
    await withPage({}, async (page) => {
      await openChat(page, server.http, ALONE);
      const bob = await join(server, 'bob');
      await field(page).fill('what a T u r n i p');
      await field(page).press('Enter');
      await page
        .locator('.chat-message_action.is-notice', { hasText: 'Your message contains a blocked word: “turnip”.' })
        .waitFor();
      await eventually(async () => (await field(page).inputValue()) === 'what a T u r n i p');
      await field(page).fill('');
      await write(page, 'what a carrot');
      await bob.hears(({ body }) => body === '<p>what a carrot</p>');
      assert.ok(!bob.events.some(({ body }) => body?.includes('turnip')), 'only its author is told');
      await bob.leave();
    });
  });

  test('whoever deletes a message of their own takes it from everybody, and the operator sees who did', async (t) => {
    const server = await serverFor(t, { args: ARGS });
    await withPage({}, (ada) =>
      withPage({}, async (bob) => {
        await Promise.all([ada, bob].map((page) => openChat(page, server.http, ALONE)));
        await write(ada, 'my street and number');
        await lines(bob, 'my street and number').hover();
        await bob.getByRole('button', { name: /^Reply to/ }).waitFor();
        assert.equal(await bob.getByRole('button', { name: 'Your message' }).count(), 0);
        await pressOnLine(ada, 'my street and number', 'Your message');
        await ada.getByRole('menuitem', { name: 'Delete message' }).click();
        for (const page of [ada, bob]) {
          await lines(page, 'my street and number').waitFor({ state: 'detached' });
        }
        const [stored] = (await basicClient(server).get('/api/admin/chat/messages')).json();
        assert.equal(stored.body, '<p>my street and number</p>');
        assert.ok(stored.deletedAt, 'it is marked as deleted by its author');
      }),
    );
  });

  test('a pinned message stands above the chat for everybody, also after a restart, until it is hidden', async (t) => {
    const dataDir = joinPath(await scratchFolder(t), 'data');
    const first = await serverFor(t, { dataDir, args: ARGS });
    const admin = basicClient(first);
    const pinned = (page) => page.locator('.chat-pinned');
    let id;
    await withPage({}, (moderator) =>
      withPage({}, async (bob) => {
        await Promise.all([moderator, bob].map((page) => openChat(page, first.http, ALONE)));
        const userId = await idOf(admin, await myName(moderator));
        await admin.post('/api/admin/chat/users/setmoderator', { userId, isModerator: true });
        await write(bob, 'the rules of the house');
        const menu = await openModeration(moderator, 'the rules of the house');
        await menu.getByRole('menuitem', { name: 'Pin above the chat' }).click();
        for (const page of [moderator, bob]) await pinned(page).getByText('the rules of the house').waitFor();
        assert.equal(await pinned(bob).getByRole('button', { name: 'Unpin' }).count(), 0);
        await pinned(moderator).getByRole('button', { name: 'Unpin' }).click();
        await pinned(bob).waitFor({ state: 'detached' });
        id = await lines(bob, 'the rules of the house').getAttribute('data-id');
        const answer = await admin.post('/api/admin/chat/pin', { id, pinned: true });
        assert.equal(answer.status, 200, answer.text);
        await pinned(bob).getByText('Pinned by the streamer').waitFor();
      }),
    );
    assert.equal(await first.stop(), 0);
    const second = await serverFor(t, { dataDir, args: ARGS });
    await withPage({}, async (page) => {
      await openChat(page, second.http, ALONE);
      await pinned(page).getByText('the rules of the house').waitFor();
      await basicClient(second).post('/api/admin/chat/messagevisibility', { idArray: [id], visible: false });
      await pinned(page).waitFor({ state: 'detached' });
    });
  });
});

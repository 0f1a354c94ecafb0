// What moderators do in the page, and what the others see of it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PASSWORD } from '../lib/admin.mjs';
import { useBrowser } from '../lib/browser.mjs';
import { history, join, sayAndHear } from '../lib/chat.mjs';
import { eventually } from '../lib/eventually.mjs';
import { serverFor } from '../lib/server.mjs';
import {
  field,
  hiddenLines,
  lines,
  openAsModerator,
  openChat,
  openModeration,
  NO_FLOOD_PROTECTION,
  untilChat,
  write,
} from '../lib/chat-page.mjs';

const withPage = useBrowser();

const serverWith = (t, ...settings) =>
  serverFor(t, {
    args: ['--admin-password', PASSWORD, ...NO_FLOOD_PROTECTION, ...settings.flatMap((setting) => ['--set', setting])],
  });


describe('moderators', { concurrency: 2 }, () => {
  test('a message that a moderator hides vanishes for everybody but moderators', async (t) => {
    const server = await serverWith(t);
    await withPage({}, (moderator) =>
      withPage({}, async (eve) => {
        await openAsModerator(moderator, server);
        await openChat(eve, server.http);
        await write(eve, 'a nice line');
        await write(eve, 'a nasty line');
        const menu = await openModeration(moderator, 'a nasty line');
        await menu.getByRole('menuitem', { name: 'Hide message' }).click();
        await lines(eve, 'a nasty line').waitFor({ state: 'detached' });
        await lines(eve, 'a nice line').waitFor();
        await hiddenLines(moderator, 'a nasty line').waitFor();
        assert.equal(await hiddenLines(moderator, 'a nice line').count(), 0);
        const bob = await join(server, 'bob');
        const bodies = (await history(server, bob.person)).map(({ body }) => body);
        assert.deepEqual(bodies, ['<p>a nice line</p>']);
        await bob.leave();
      }),
    );
  });

  test('whoever is told to be quiet cannot write, is told so, keeps the text, and can again when it is lifted', async (t) => {
    const server = await serverWith(t);
    await withPage({}, (moderator) =>
      withPage({}, async (eve) => {
        await openAsModerator(moderator, server);
        await openChat(eve, server.http);
        await write(eve, 'first line');
        const menu = await openModeration(moderator, 'first line');
        await menu.getByRole('menuitem', { name: 'Time out' }).click();
        await moderator.getByRole('dialog').getByRole('button', { name: 'Time out' }).click();
        await moderator.getByText(/cannot write for a while/).waitFor();
        await field(eve).fill('can you hear me?');
        await field(eve).press('Enter');
        await eve.locator('.chat-message_action.is-notice').waitFor();
        await eventually(async () => (await field(eve).inputValue()) === 'can you hear me?');
        assert.equal(await lines(moderator, 'can you hear me?').count(), 0);
        await (await openModeration(moderator, 'first line'))
          .getByRole('menuitem', { name: 'Lift the timeout' })
          .click();
        await moderator.getByText(/can write again/).waitFor();
        await eve.getByText('Your timeout was lifted. You can write again.').first().waitFor();
        await field(eve).press('Enter');
        await lines(moderator, 'can you hear me?').waitFor();
      }),
    );
  });

  test('a ban takes the lines and the field away, and holds when the page is loaded again', async (t) => {
    const server = await serverWith(t);
    await withPage({ allow: [/status of 401/] }, (moderator) =>
      withPage({ allow: [/status of 401/] }, async (eve) => {
        await openAsModerator(moderator, server);
        await openChat(eve, server.http);
        await write(eve, 'buy my coins');
        const menu = await openModeration(moderator, 'buy my coins');
        await menu.getByRole('menuitem', { name: 'Ban' }).click();
        await moderator.getByRole('dialog').getByRole('button', { name: 'Ban' }).click();
        await hiddenLines(moderator, 'buy my coins').waitFor();
        await untilChat(eve, 'disabled');
        await eve.getByText('You were removed from this chat').waitFor();
        assert.equal(await field(eve).count(), 0);
        await eve.reload();
        await untilChat(eve, 'disabled');
        await eve.getByText('You were removed from this chat').waitFor();
      }),
    );
  });

  test('a first message waits until a moderator lets it through', async (t) => {
    const server = await serverWith(t, 'chat_hold_first_message=true');
    await withPage({}, async (page) => {
      await openAsModerator(page, server);
      const newcomer = await join(server, 'newcomer');
      newcomer.say('hello, I am new here');
      await newcomer.hears(({ notice }) => notice === 'held');
      await page.getByRole('button', { name: '1 waiting' }).click({ timeout: 20_000 });
      const dialog = page.getByRole('dialog');
      await dialog.getByText('hello, I am new here').waitFor();
      await dialog.getByRole('button', { name: 'Approve' }).click();
      await newcomer.hears(({ body }) => body === '<p>hello, I am new here</p>');
      await newcomer.leave();
    });
  });

  test('people who are no moderators have no such menu', async (t) => {
    const server = await serverWith(t);
    await withPage({}, async (page) => {
      const bob = await join(server, 'bob');
      await openChat(page, server.http);
      await sayAndHear(bob, 'anything');
      await lines(page, 'anything').hover();
      await page.getByRole('button', { name: 'Reply to bob' }).waitFor();
      assert.equal(await page.getByRole('button', { name: /^Moderate/ }).count(), 0);
      await bob.leave();
    });
  });
});

test('everything can be done without a mouse', async (t) => {
  const server = await serverWith(t);
  const bob = await join(server, 'bob');
  await withPage({}, async (page) => {
    await openAsModerator(page, server);
    await sayAndHear(bob, 'reach me by keyboard');
    await lines(page, 'reach me by keyboard').waitFor();
    const { keyboard } = page;
    const focused = () =>
      page.evaluate(() => {
        const { activeElement: now } = document;
        return now.getAttribute('aria-label') ?? now.className;
      });
    const tabTo = async (label) => {
      for (let presses = 0; presses < 40; presses += 1) {
        await keyboard.press('Tab');
        if (label.test(await focused())) return;
      }
      assert.fail(`Tab does not lead to ${label}`);
    };
    await tabTo(/^Send a message$/);
    await keyboard.type('no mouse here');
    await keyboard.press('Enter');
    await bob.hears(({ body }) => body === '<p>no mouse here</p>');
    await lines(page, 'no mouse here').waitFor();
    assert.equal(await focused(), 'Send a message', 'one can go on writing');

    await page.evaluate(() => document.activeElement.blur());
    await tabTo(/^Chat messages$/);
    await keyboard.press('ArrowUp');
    assert.match(await page.evaluate(() => document.activeElement.textContent), /no mouse here/);
    await keyboard.press('ArrowUp');
    assert.match(await page.evaluate(() => document.activeElement.textContent), /reach me by keyboard/);
    await tabTo(/^Moderate bob$/);
    await keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    assert.equal(await focused(), 'Moderate bob', 'the focus is given back');
    await keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Hide message' }).waitFor();
    await keyboard.press('Enter');
    await hiddenLines(page, 'reach me by keyboard').waitFor();
  });
  await bob.leave();
});

// Phones and tablets: who watches there sees the picture and talks at the same time, however the device is held.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setUp } from '../lib/admin.mjs';
import { untilState } from '../lib/broadcast.mjs';
import { fitsWidth, shot, useBrowser } from '../lib/browser.mjs';
import { join, sayAndHear } from '../lib/chat.mjs';
import { field, lines, NO_FLOOD_PROTECTION, openChat, write } from '../lib/chat-page.mjs';
import { untilMoving } from '../lib/player-page.mjs';
import { startServer } from '../lib/server.mjs';

const PHONE = { width: 390, height: 844 };
const PHONE_ON_ITS_SIDE = { width: 844, height: 390 };
const SMALL_PHONE_ON_ITS_SIDE = { width: 667, height: 375 };
const TABLET = { width: 820, height: 1180 };
const TOUCH = { hasTouch: true, isMobile: true };
const TITLE = 'An evening at the river';

const withPage = useBrowser();
let server;

before(async () => {
  server = await startServer({ args: ['demo', ...NO_FLOOD_PROTECTION] });
  const admin = await setUp(server, { name: 'Brook Radio' });
  await admin.set('streamtitle', TITLE);
  await untilState(server, 'live');
});
after(() => server?.stop());

/** Where something is, all of which must be in the window. */
async function inSight(page, target) {
  const found = typeof target === 'string' ? page.locator(target) : target;
  const box = await found.boundingBox();
  const { width, height } = page.viewportSize();
  const isInside = box && box.x >= 0 && box.y >= 0 && box.x + box.width <= width + 1 && box.y + box.height <= height + 1;
  assert.ok(isInside, `${target} is at ${JSON.stringify(box)} of ${width} × ${height}`);
  return box;
}

/** Buttons and links that one sees and cannot press, because something else lies over them. */
const covered = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('a, button, textarea')]
      .filter((one) => !one.closest('#player, .chat-scroll, .skip-link'))
      .filter((one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        const top = document.elementFromPoint(x + width / 2, y + height / 2);
        return width > 0 && top !== null && !one.contains(top);
      })
      .map((one) => one.outerHTML.slice(0, 120)),
  );

const tab = (page, name) => page.getByRole('tab', { name });
const isFocused = (locator) => locator.evaluate((element) => element === document.activeElement);

describe('small screens', { concurrency: 2 }, () => {
  test('upright, a phone shows the picture above the chat, and other tabs below a picture that stays', () =>
    withPage({ viewport: PHONE, ...TOUCH }, async (page) => {
      await openChat(page, server.http);
      await untilMoving(page);
      assert.equal(await tab(page, 'Chat').getAttribute('aria-selected'), 'true');
      await write(page, 'from my phone');
      const picture = await inSight(page, '#player');
      const title = await inSight(page, page.getByRole('heading', { name: TITLE }));
      const line = await inSight(page, lines(page, 'from my phone').last());
      const written = await inSight(page, field(page));
      assert.ok(picture.width === PHONE.width && picture.y + picture.height <= title.y, 'the title is below the picture');
      assert.ok(title.y < line.y && line.y < written.y, 'the line is between the title and the field');
      assert.deepEqual(await covered(page), []);
      assert.ok(await fitsWidth(page));
      await shot(page, 'viewer-phone-chat');

      const bob = await join(server, 'bob');
      await tab(page, 'About').tap();
      assert.equal(await field(page).count(), 0);
      assert.deepEqual(await covered(page), []);
      await sayAndHear(bob, 'are you still there?');
      await tab(page, /^Chat \d/).waitFor();
      await page.locator('#footer').scrollIntoViewIfNeeded();
      await inSight(page, '#player');
      await inSight(page, page.getByRole('heading', { name: TITLE }));
      await tab(page, 'Chat').tap();
      await lines(page, 'are you still there?').waitFor();
      await bob.leave();
    }));

  test('turned, it has the chat beside the picture, with what one was writing', () =>
    withPage({ viewport: PHONE, ...TOUCH }, async (page) => {
      await openChat(page, server.http);
      await untilMoving(page);
      await field(page).fill('half a thought');
      for (const [size, name] of [
        [PHONE_ON_ITS_SIDE, 'landscape'],
        [SMALL_PHONE_ON_ITS_SIDE, 'landscape-small'],
      ]) {
        await page.setViewportSize(size);
        await tab(page, 'Chat').waitFor({ state: 'detached' });
        const picture = await inSight(page, '#player');
        const chat = await inSight(page, '#chat-container');
        await inSight(page, field(page));
        assert.equal(await field(page).inputValue(), 'half a thought');
        assert.ok(await isFocused(field(page)), 'the field has lost the focus');
        assert.ok(picture.x + picture.width <= chat.x + 1, 'the chat is beside the picture');
        assert.equal(chat.height, size.height);
        assert.ok(picture.height > size.height / 2, `the picture is ${picture.height} tall`);
        assert.deepEqual(await covered(page), []);
        assert.ok(await fitsWidth(page));
        await shot(page, `viewer-phone-${name}`);
      }
      await page.setViewportSize(PHONE);
      await tab(page, 'Chat').waitFor();
      assert.equal(await field(page).inputValue(), 'half a thought');
      assert.equal(await page.locator('#chat-container').count(), 1);
      await field(page).press('Enter');
      await lines(page, 'half a thought').waitFor();
    }));

  test('a tablet has two columns, and a hidden chat comes back from the header', () =>
    withPage({ viewport: TABLET, ...TOUCH }, async (page) => {
      await openChat(page, server.http);
      await untilMoving(page);
      const picture = await inSight(page, '#player');
      const chat = await inSight(page, '#chat-container');
      assert.ok(picture.x + picture.width <= chat.x + 1 && Math.abs(chat.x + chat.width - TABLET.width) < 1);
      assert.ok(picture.width > TABLET.width / 2, `the picture is ${picture.width} wide`);
      assert.equal(await tab(page, 'Chat').count(), 0);
      await shot(page, 'viewer-tablet');

      await page.getByRole('button', { name: 'Hide chat' }).tap();
      await page.locator('#chat-container').waitFor({ state: 'hidden' });
      assert.equal((await inSight(page, '#player')).width, TABLET.width);
      const bob = await join(server, 'bob');
      await sayAndHear(bob, 'who is here?');
      const opener = page.getByRole('button', { name: 'Show chat' });
      await opener.locator('.chat-unseen').waitFor();
      assert.deepEqual(await covered(page), []);
      await opener.tap();
      await lines(page, 'who is here?').waitFor();
      assert.equal(await opener.count(), 0);
      await bob.leave();
    }));

  test('a tap on a message shows its buttons, as large as a finger, and the player’s settings are a sheet', () =>
    withPage({ viewport: PHONE, ...TOUCH }, async (page) => {
      await openChat(page, server.http);
      await untilMoving(page);
      const bob = await join(server, 'bob');
      await sayAndHear(bob, 'tap me');
      await lines(page, 'tap me').tap();
      const reply = page.getByRole('button', { name: 'Reply to bob' });
      const box = await reply.boundingBox();
      assert.ok(box.width >= 44 && box.height >= 44, `the button is ${box.width} × ${box.height}`);
      await reply.tap();
      await page.locator('.chat-replying').waitFor();
      await bob.leave();

      await page.locator('#player').tap();
      await page.locator('#player').getByRole('button', { name: 'Settings' }).tap();
      const sheet = await inSight(page, '.player-menu');
      assert.ok(Math.abs(sheet.y + sheet.height - PHONE.height) <= 1, 'it is at the bottom of the window');
      assert.equal(await page.locator('.player-menu-keys').isVisible(), false);
    }));

  test('an emoji of Unicode is tapped on a phone, where the picker fits', () =>
    withPage({ viewport: PHONE, ...TOUCH }, async (page) => {
      await openChat(page, server.http);
      await page.getByRole('button', { name: 'Emoji', exact: true }).tap();
      const grapes = page.locator('.chat-picker-packs').getByRole('button', { name: 'grapes' });
      await grapes.waitFor({ state: 'attached' });
      await inSight(page, '.chat-picker');
      await shot(page, 'chat-emoji-phone');
      await page.getByRole('button', { name: 'Food & drink' }).tap();
      await inSight(page, grapes);
      await grapes.tap();
      assert.equal(await field(page).inputValue(), '🍇');
    }));
});

describe('the emoji picker by keyboard alone', () => {
  test('finds, moves, picks and remembers', () =>
    withPage({}, async (page) => {
      await openChat(page, server.http);
      const { keyboard } = page;
      await field(page).press('Tab');
      const opener = page.getByRole('button', { name: 'Emoji', exact: true });
      assert.ok(await isFocused(opener), 'the button is after the field');
      await keyboard.press('Enter');
      const search = page.getByRole('searchbox', { name: 'Search emoji' });
      await search.waitFor();
      await page.locator('.chat-picker').getByRole('button', { name: 'grapes' }).waitFor({ state: 'attached' });
      assert.ok(await isFocused(search), 'the search is where one types');
      await keyboard.type('grape');
      await keyboard.press('ArrowDown');
      assert.ok(await isFocused(page.getByRole('button', { name: 'grapes', exact: true })));
      await keyboard.press('Enter');
      assert.ok(await isFocused(field(page)), 'the field has the focus again');
      assert.equal(await field(page).inputValue(), '🍇');
      await keyboard.press('Enter');
      await lines(page, '🍇').last().waitFor();

      await field(page).press('Tab');
      await keyboard.press('Enter');
      const recent = page.locator('.chat-picker section').first();
      await recent.getByRole('heading', { name: 'Recently used' }).waitFor();
      await keyboard.press('ArrowDown');
      const first = recent.getByRole('button', { name: 'grapes' });
      assert.ok(await isFocused(first), 'what was used is first');
      await keyboard.press('ArrowDown');
      assert.ok(!(await isFocused(first)), 'the row below is another one');
      await keyboard.press('ArrowUp');
      assert.ok(await isFocused(first), 'and back');
      await keyboard.press('Escape');
      await page.locator('.chat-picker').waitFor({ state: 'detached' });
      assert.ok(await isFocused(field(page)), 'Escape leads to the field');
    }));
});

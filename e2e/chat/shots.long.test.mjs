// The chat on a busy evening: every kind of line, for viewers and for the operator. Each view leaves a picture, fits
// its window and breaks no policy.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { basicClient, PASSWORD, setUp } from '../lib/admin.mjs';
import { untilState } from '../lib/broadcast.mjs';
import { fitsWidth, shot, UNAUTHORIZED, useBrowser, watchPolicy } from '../lib/browser.mjs';
import { join, register, sayAndHear } from '../lib/chat.mjs';
import { startServer } from '../lib/server.mjs';
import { field, idOf, lines, myName, openChat, openModeration, NO_FLOOD_PROTECTION } from '../lib/chat-page.mjs';

const DESKTOP = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };

const withPage = useBrowser();
let server;
let admin;
const talkers = {};

/** Who says what; a third word names the line that is answered. */
const EVENING = [
  ['Marta', 'good evening everybody :wave:'],
  ['otter-friend', 'hi Marta! how is the water today?'],
  ['Marta', 'higher than last week, it rained the whole night', 'how is the water'],
  ['Jonas K.', ':heart: :fire: :rocket:'],
  ['Jonas K.', 'that bridge is *exactly* where we stood in spring'],
  ['otter-friend', 'is there a map of the walk? somebody posted https://example.org/walks/old-mill a while ago'],
  ['a-very-long-name-that-goes-on', 'supercalifragilisticexpialidociousandthensomemorewithoutanyspacesinit'],
  ['Marta', '`ffmpeg -i walk.mkv` does it for me', 'is there a map'],
  ['Jonas K.', 'ok'],
  [
    'Jonas K.',
    'and now a longer thought, as people have them on long walks: it wraps over several lines, and the name above it is shown only once for all of these.',
  ],
];

before(async () => {
  server = await startServer({ args: ['demo', ...NO_FLOOD_PROTECTION] });
  const setup = await setUp(server, { name: 'Brook Radio' });
  admin = basicClient(server);
  await setup.set('streamtitle', 'Friday walk to the old mill');
  await setup.set('welcomemessage', 'Welcome to **Brook Radio**! Be kind, and tell us what you see.');
  await untilState(server, 'live');
  const names = new Set(EVENING.map(([name]) => name));
  for (const name of names) talkers[name] = await join(server, name);
  const messages = [];
  for (const [name, text, answered] of EVENING) {
    const inReplyTo = answered && messages.find(({ body }) => body.includes(answered)).id;
    messages.push(await sayAndHear(talkers[name], text, inReplyTo));
  }
  const troll = await join(server, 'coin seller');
  await sayAndHear(troll, 'buy my coins');
  await admin.post('/api/admin/chat/users/setenabled', { userId: troll.person.id, enabled: false });
  await admin.post('/api/admin/chat/users/setmoderator', { userId: talkers.Marta.person.id, isModerator: true });
  await admin.post('/api/admin/chat/users/timeout', { userId: (await register(server, 'noisy')).id, seconds: 600 });
  await troll.closed;
});
after(async () => {
  for (const talker of Object.values(talkers)) talker.drop();
  await server?.stop();
});

describe('the chat on a busy evening', () => {
  for (const colorScheme of ['light', 'dark']) {
    for (const [size, viewport] of [
      ['desktop', DESKTOP],
      ['phone', PHONE],
    ]) {
      const isPhone = size === 'phone';
      const options = { colorScheme, viewport, hasTouch: isPhone, isMobile: isPhone };
      test(`viewers and moderators see it well: ${size}, ${colorScheme}`, () =>
        withPage(options, async (page, context) => {
          const violations = await watchPolicy(context);
          await openChat(page, server.http);
          // The welcome comes some seconds after one did.
          await page.locator('.chat-message_system').waitFor({ timeout: 20_000 });
          const visitor = await join(server, 'late visitor');
          const name = await myName(page);
          await sayAndHear(talkers.Marta, `@${name} nice to see you here :party:`);
          await lines(page, 'nice to see you here').last().waitFor();
          await shot(page, `chat-${size}-${colorScheme}`);
          assert.ok(await fitsWidth(page));

          await page.getByRole('button', { name: 'Emoji', exact: true }).click();
          await page.locator('.chat-picker img').first().waitFor();
          await shot(page, `chat-emoji-${size}-${colorScheme}`);
          await page.getByRole('button', { name: 'Emoji', exact: true }).click();
          await field(page).fill('hello :ro');
          await page.getByRole('listbox').waitFor();
          await shot(page, `chat-completion-${size}-${colorScheme}`);
          await field(page).fill('');

          await page.getByRole('button', { name: 'Your menu' }).click();
          await page.getByRole('menuitem', { name: 'Change name' }).click();
          await shot(page, `chat-name-${size}-${colorScheme}`);
          await page.getByRole('button', { name: 'Cancel' }).click();

          const userId = await idOf(admin, name);
          await admin.post('/api/admin/chat/users/setmoderator', { userId, isModerator: true });
          await page.locator('#chat-container').getByText('moderator').last().waitFor({ state: 'attached' });
          if (isPhone) await lines(page, 'nice to see you here').last().tap();
          await openModeration(page, 'nice to see you here');
          await shot(page, `chat-moderator-${size}-${colorScheme}`);
          await page.getByRole('menuitem', { name: 'More about this person' }).click();
          await page.getByRole('dialog').getByText('First seen').waitFor();
          await shot(page, `chat-person-${size}-${colorScheme}`);
          assert.ok(await fitsWidth(page));
          assert.deepEqual(violations, []);
          await visitor.leave();
        }));
    }

    test(`the operator’s pages show it well: ${colorScheme}`, () =>
      withPage({ colorScheme, viewport: DESKTOP, allow: [UNAUTHORIZED] }, async (page, context) => {
        const violations = await watchPolicy(context);
        await page.goto(`${server.http}/admin/`);
        await page.getByLabel('Password').fill(PASSWORD);
        await page.keyboard.press('Enter');
        await page.getByRole('navigation').first().waitFor();
        for (const path of ['chat/messages', 'chat/users', 'chat/emojis', 'config-chat']) {
          const name = path.replace('/', '-');
          for (const [size, viewport] of [
            ['desktop', DESKTOP],
            ['phone', PHONE],
          ]) {
            await page.setViewportSize(viewport);
            await page.goto(`${server.http}/admin/${path}`);
            await page.getByRole('heading', { level: 1 }).waitFor();
            await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
            await shot(page, `admin-${name}-${size}-${colorScheme}`);
            assert.ok(await fitsWidth(page), `${path} on a ${size}`);
          }
        }
        assert.deepEqual(violations, []);
      }));
  }

  test('the frames for other sites show it well', () =>
    withPage({ viewport: { width: 380, height: 560 } }, async (page) => {
      for (const mode of ['readonly', 'readwrite']) {
        await openChat(page, server.http, { path: `/embed/chat/${mode}` });
        await lines(page, 'a longer thought').waitFor();
        await shot(page, `chat-embed-${mode}`);
        assert.ok(await fitsWidth(page));
      }
    }));
});

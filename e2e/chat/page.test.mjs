// People talk to each other in real pages: on the page of the stream, and in the frames for other sites.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fitsWidth, useBrowser, watchPolicy } from '../lib/browser.mjs';
import { SET_UP } from '../lib/admin.mjs';
import { join, sayAndHear } from '../lib/chat.mjs';
import { eventually } from '../lib/eventually.mjs';
import { serverFor, startServer } from '../lib/server.mjs';
import {
  bodies,
  field,
  lines,
  myName,
  openChat,
  pressOnLine,
  NO_FLOOD_PROTECTION,
  untilBodies,
  write,
} from '../lib/chat-page.mjs';

/** More than the page may hold at a time, and far less than there were. */
const MOST_ROWS = 400;
const MANY_LINES = 10_000;
const IN_A_FRAME = 20;

const withPage = useBrowser();
let server;
before(async () => {
  server = await startServer({ args: [...SET_UP, ...NO_FLOOD_PROTECTION] });
});
after(() => server?.stop());

/** Two people, each with a browser profile of their own, in the chat. */
const withTwoPages = (body) =>
  withPage({}, (ada, adasContext) =>
    withPage({}, async (bob) => {
      const violations = await watchPolicy(adasContext);
      await Promise.all([openChat(ada, server.http), openChat(bob, server.http)]);
      await body(ada, bob);
      assert.deepEqual(violations, []);
    }),
  );

describe('the chat in a page', { concurrency: 2 }, () => {
  test('what one writes the other reads, with who wrote it', () =>
    withTwoPages(async (ada, bob) => {
      await write(ada, 'is **anybody** here?', 'is anybody here?');
      const heard = lines(bob, 'is anybody here?');
      assert.equal(await heard.locator('strong').innerText(), 'anybody');
      assert.equal(await heard.locator('.chat-name').innerText(), await myName(ada));
      assert.equal(await field(ada).inputValue(), '');
      await write(bob, 'yes, me');
      await lines(ada, 'yes, me').waitFor();
    }));

  test('somebody who comes later finds what was said, and is the same person when they come again', () =>
    withPage({}, async (page) => {
      const ada = await join(server, 'early bird');
      await sayAndHear(ada, 'the early line');
      await openChat(page, server.http);
      await lines(page, 'the early line').waitFor();
      const name = await myName(page);
      await page.reload();
      await page.locator('#chat-container[data-state=open]').waitFor();
      assert.equal(await myName(page), name);
      await ada.leave();
    }));

  test('an emoji is found, picked and seen by the other', () =>
    withTwoPages(async (ada, bob) => {
      await field(ada).fill('up we go ');
      await ada.getByRole('button', { name: 'Emoji', exact: true }).click();
      await ada.getByRole('searchbox', { name: 'Search emoji' }).fill('rocket');
      // Unicode has one of this name, too.
      await ada.locator('.chat-picker button[title=":rocket:"]').click();
      assert.match(await field(ada).inputValue(), /^up we go :rocket: ?$/);
      await field(ada).press('Enter');
      const picture = lines(bob, 'up we go').last().locator('img.emoji');
      assert.match(await picture.getAttribute('alt'), /rocket/);
      // A picture that could not be loaded has no size of its own.
      await eventually(() => picture.evaluate((image) => image.complete && image.naturalWidth > 0));
    }));

  test('a reply shows what it answers, and leads there', () =>
    withTwoPages(async (ada, bob) => {
      await write(ada, 'what time is it in Oslo?');
      await pressOnLine(bob, 'what time is it in Oslo?', /^Reply to/);
      await bob.getByText('Reply to', { exact: false }).first().waitFor();
      await write(bob, 'half past nine');
      const quote = lines(ada, 'half past nine').locator('.chat-quote');
      assert.match(await quote.innerText(), /what time is it in Oslo\?/);
      assert.ok((await quote.innerText()).includes(await myName(ada)));
      await quote.click();
      const focused = await ada.evaluate(() => document.activeElement.textContent);
      assert.match(focused, /what time is it in Oslo/);
    }));

  test('whoever is mentioned sees it, and nobody else does', () =>
    withTwoPages(async (ada, bob) => {
      const name = await myName(ada);
      await write(bob, `@${name} look at this`);
      const line = lines(ada, 'look at this');
      await line.locator('mark.chat-mention').waitFor();
      assert.match(await line.getAttribute('class'), /is-mentioned/);
      assert.doesNotMatch(await lines(bob, 'look at this').getAttribute('class'), /is-mentioned/);
    }));

  test('ten thousand lines leave a page with some hundreds of rows that can be scrolled through', () =>
    withPage({}, async (page) => {
      await page.routeWebSocket(/\/ws\?/, (socket) => {
        const upstream = socket.connectToServer();
        upstream.onMessage((frame) => {
          socket.send(frame);
          if (!frame.includes('CONNECTED_USER_INFO')) return;
          for (let first = 0; first < MANY_LINES; first += IN_A_FRAME) {
            const numbers = Array.from({ length: IN_A_FRAME }, (_, index) => first + index);
            socket.send(numbers.map(inventedLine).join('\n'));
          }
        });
      });
      await openChat(page, server.http);
      await lines(page, `line ${MANY_LINES - 1}.`).waitFor();
      const scroller = page.locator('.chat-scroll');
      const rowCount = () => lines(page).count();
      const below = () => scroller.evaluate((one) => one.scrollHeight - one.clientHeight - one.scrollTop);
      assert.ok((await rowCount()) < MOST_ROWS);
      assert.ok((await below()) < 2, 'it follows the end');
      for (let turn = 0; turn < 5; turn += 1) {
        const first = await lines(page).first().getAttribute('data-id');
        await scroller.evaluate((one) => {
          one.scrollTop = 0;
        });
        await eventually(async () => (await lines(page).first().getAttribute('data-id')) !== first);
        assert.ok((await rowCount()) < MOST_ROWS);
      }
      await page.getByRole('button', { name: /Go to bottom|new message/ }).click();
      await lines(page, `line ${MANY_LINES - 1}.`).waitFor();
      await eventually(async () => (await below()) < 2);
      // It is still a chat.
      await write(page, 'quite a crowd');
    }));

  test('a name and a colour are changed at once, for everybody', async (t) => {
    // With the usual protection from floods, which such a change must not set off.
    const strict = await serverFor(t, { args: SET_UP });
    await withPage({}, async (page) => {
      const bob = await join(strict, 'bob');
      await openChat(page, strict.http);
      const before = await myName(page);
      await page.getByRole('button', { name: 'Your menu' }).click();
      await page.getByRole('menuitem', { name: 'Change name' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
      const chosen = await dialog.locator('.chat-colour input').evaluateAll((all) => all.findIndex((o) => o.checked));
      const colour = (chosen + 3) % 8;
      await dialog.locator('.chat-colour').nth(colour).click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      const change = await bob.hears(({ type }) => type === 'NAME_CHANGE');
      assert.deepEqual([change.oldName, change.user.displayName], [before, 'Ada Lovelace']);
      await page.locator(`.user-menu-name[data-color="${colour}"]`, { hasText: 'Ada Lovelace' }).waitFor();
      await write(page, 'it is me');
      const said = await bob.hears(({ type }) => type === 'CHAT');
      assert.deepEqual([said.user.displayName, said.user.displayColor], ['Ada Lovelace', colour]);
      await bob.leave();
    });
  });
});

/** As a server of a very busy stream would send it. */
function inventedLine(number) {
  const user = { id: `u${number % 40}`, displayName: `somebody ${number % 40}`, displayColor: number % 8 };
  const body = `<p>line ${number}.</p>`;
  const timestamp = new Date(Date.UTC(2030, 0, 1) + number).toISOString();
  return JSON.stringify({ type: 'CHAT', id: `invented-${number}`, timestamp, user, body, visible: true });
}

describe('frames for other sites', () => {
  test('the one to read shows lines as they come and nothing to write with', () =>
    withPage({ viewport: { width: 360, height: 480 } }, async (page) => {
      const ada = await join(server, 'ada');
      await openChat(page, server.http, { path: '/embed/chat/readonly' });
      await sayAndHear(ada, 'for the overlay');
      await lines(page, 'for the overlay').waitFor();
      assert.equal(await page.getByRole('textbox').count(), 0);
      await lines(page, 'for the overlay').hover();
      assert.equal(await page.getByRole('button', { name: /Reply|Send|Emoji|menu/ }).count(), 0);
      assert.ok(await fitsWidth(page));
      await ada.leave();
    }));

  test('the one to write in is a whole chat', () =>
    withPage({ viewport: { width: 360, height: 480 } }, async (page) => {
      const ada = await join(server, 'ada');
      await openChat(page, server.http, { path: '/embed/chat/readwrite' });
      await write(page, 'from the frame');
      await ada.hears(({ body }) => body === '<p>from the frame</p>');
      await page.getByRole('button', { name: 'Your menu' }).click();
      await page.getByRole('menuitem', { name: 'Change name' }).waitFor();
      assert.ok(await fitsWidth(page));
      await ada.leave();
    }));
});

test('tools that look for names, lines and the field by how their classes begin find them', () =>
  withPage({}, async (page) => {
    const ada = await join(server, 'ada');
    await sayAndHear(ada, 'for the aggregator');
    // As an aggregator for several chats has them.
    const [name, line, input] = [
      'ChatUserMessage_userName__',
      'ChatUserMessage_message__',
      'ChatTextField_inputWrap__',
    ].map((start) => `[class^='${start}']`);
    for (const path of ['/', '/embed/chat/readonly', '/embed/chat/readwrite']) {
      await page.goto(server.http + path);
      await page.locator(line, { hasText: 'for the aggregator' }).first().waitFor();
      await page.locator(name, { hasText: 'ada' }).first().waitFor({ state: 'attached' });
      assert.equal(await page.locator(input).count(), path.endsWith('readonly') ? 0 : 1, path);
    }
    await ada.leave();
  }));

test('lines are read out as they come, and history is not', () =>
  withPage({}, async (page) => {
    const ada = await join(server, 'ada');
    await sayAndHear(ada, 'long ago');
    await openChat(page, server.http);
    const log = page.getByRole('log');
    await lines(page, 'long ago').waitFor();
    await sayAndHear(ada, 'just now');
    await log.getByText('ada: just now').waitFor();
    assert.doesNotMatch(await log.innerText(), /long ago/);
    assert.equal(await log.getAttribute('aria-live'), 'polite');
    await ada.leave();
  }));

test('the lines keep the order of the server in every page', () =>
  withTwoPages(async (ada, bob) => {
    const talkers = await Promise.all(['one', 'two', 'three'].map((name) => join(server, name)));
    for (const turn of [1, 2, 3]) for (const talker of talkers) talker.say(`turn ${turn} of ${talker.person.name}`);
    await Promise.all(talkers.map((one) => one.hears(({ body }) => body === `<p>turn 3 of ${one.person.name}</p>`)));
    await eventually(async () => (await bodies(ada)).filter((body) => body.startsWith('turn ')).length === 9);
    await untilBodies(bob, await bodies(ada));
    await Promise.all(talkers.map((talker) => talker.leave()));
  }));

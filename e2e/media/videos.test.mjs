// Past streams in a browser: their list, their page with the chat in time, their frame, and the front page.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { basicClient, PASSWORD } from '../lib/admin.mjs';
import { fitsWidth, UNAUTHORIZED, useBrowser, watchPolicy } from '../lib/browser.mjs';
import { join, sayAndHear } from '../lib/chat.mjs';
import { eventually } from '../lib/eventually.mjs';
import { change } from '../lib/replays.mjs';
import { startServer } from '../lib/server.mjs';
import {
  noteMessages,
  pastStream,
  publicVideos,
  RECORDS,
  replayOf,
  untilAt,
  videoChat,
  videoItem,
} from '../lib/videos.mjs';

/** What is said belongs to the picture of that moment, as far as anybody notices. */
const IN_TIME_SECONDS = 0.5;
const APART_MS = 2_500;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** What is not there, or not any more, is said so by the server too. */
const NOT_FOUND = /status of 404/;

const withPage = useBrowser();
let server;
let admin;
let video;

before(async () => {
  server = await startServer(RECORDS);
  admin = basicClient(server);
  assert.equal((await admin.set('streamtitle', 'Evening walk')).status, 200);
  video = await pastStream(server, {
    seconds: 20,
    during: async () => {
      const ann = await join(server, 'Ann');
      for (const text of ['first', 'second', 'third', 'fourth']) {
        await sayAndHear(ann, text, undefined, new RegExp(text));
        const said = Date.now();
        // Apart from each other by more than what counts as in time.
        await eventually(() => Date.now() - said > APART_MS);
      }
      assert.equal((await admin.set('streamtitle', 'Along the river')).status, 200);
      await ann.leave();
    },
  });
});
after(() => server?.stop());

describe('past streams', { concurrency: 1 }, () => {
  test('the front page shows the newest while nothing is on, and leads to it', () =>
    withPage({}, async (page, context) => {
      const violations = await watchPolicy(context);
      await page.goto(server.http);
      const latest = page.getByRole('region', { name: 'Latest recordings' });
      await latest.locator('.video-card-title').first().click();
      await page.waitForURL(`${server.http}/videos/${video.id}`);
      await page.locator('#player[data-state=playing]').waitFor();
      assert.deepEqual(violations, []);
    }));

  test('the list finds by words that stay in the address', () =>
    withPage({}, async (page) => {
      await page.goto(`${server.http}/videos`);
      await page.locator('.video-card').first().waitFor();
      await page.getByLabel('Search recordings').fill('nothing like this');
      await page.getByText('Nothing found').waitFor();
      assert.equal(new URL(page.url()).searchParams.get('q'), 'nothing like this');
      await page.reload();
      await page.getByText('Nothing found').waitFor();
      assert.equal(await page.getByLabel('Search recordings').inputValue(), 'nothing like this');
      await page.goBack();
      await page.locator('.video-card').first().waitFor();
    }));

  test('plays from its beginning, goes to every place, and ends', () =>
    withPage({}, async (page) => {
      await page.goto(`${server.http}/videos/${video.id}`);
      await page.locator('#player[data-state=playing]').waitFor();
      const { duration } = await videoItem(server, video.id);
      const bar = page.getByRole('slider', { name: 'Position' });
      const box = await bar.boundingBox();
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      await untilAt(page, duration / 2);
      await bar.focus();
      await page.keyboard.press('Home');
      await untilAt(page, 0);
      await page.keyboard.press('l');
      await untilAt(page, 10, 4);
      await page.keyboard.press('End');
      await page.locator('#player[data-state=ended]').waitFor();
      await page.getByRole('button', { name: 'Watch again' }).click();
      await page.locator('#player[data-state=playing]').waitFor();
      await untilAt(page, 0, 5);
    }));

  test('begins where its address says', () =>
    withPage({}, async (page) => {
      await page.goto(`${server.http}/videos/${video.id}?t=10`);
      await page.locator('#player[data-state=playing]').waitFor();
      const { position } = await replayOf(page);
      assert.ok(position >= 9 && position < 16, `it began at ${position}`);
    }));

  test('messages appear when they were written, and go when somebody goes back', () =>
    withPage({ viewport: { width: 1280, height: 800 } }, async (page) => {
      const { messages } = await videoChat(server, video.id);
      const wanted = messages.filter(({ type }) => type === 'CHAT');
      assert.equal(wanted.length, 4);
      await page.goto(`${server.http}/videos/${video.id}`);
      const appeared = await noteMessages(page);
      await page.locator('#player[data-state=playing]').waitFor();
      await untilAt(page, wanted.at(-1).at + 1, 10);
      const noted = await appeared();
      for (const { at, body } of wanted) {
        const text = body.replace(/<[^>]*>/g, '').trim();
        const one = noted.find((note) => note.text.trim() === text);
        assert.ok(one, `"${text}" did not appear`);
        assert.ok(Math.abs(one.at - at) <= IN_TIME_SECONDS, `"${text}" of ${at} appeared at ${one.at}`);
      }
      await page.getByRole('slider', { name: 'Position' }).focus();
      await page.keyboard.press('k');
      await page.keyboard.press('Home');
      const first = wanted[0].at;
      await eventually(async () => (await page.locator('.chat-message_user').count()) === (first < 0.5 ? 1 : 0));
    }));

  test('what a moderator hides is not in it any more', () =>
    withPage({}, async (page) => {
      const { messages } = await videoChat(server, video.id);
      const second = messages.find(({ body }) => /second/.test(body));
      const hide = (visible) => admin.post('/api/admin/chat/messagevisibility', { idArray: [second.id], visible });
      assert.equal((await hide(false)).status, 200);
      await page.goto(`${server.http}/videos/${video.id}?t=15`);
      await page.getByText('third', { exact: true }).waitFor();
      assert.equal(await page.getByText('second', { exact: true }).count(), 0);
      await hide(true);
    }));

  test('a chapter leads to its place', () =>
    withPage({}, async (page) => {
      const { chapters } = await videoItem(server, video.id);
      const river = chapters.find(({ title }) => title === 'Along the river');
      assert.ok(river, `chapters: ${JSON.stringify(chapters)}`);
      await page.goto(`${server.http}/videos/${video.id}`);
      await page.locator('#player[data-state=playing]').waitFor();
      const button = page.getByRole('button', { name: /Along the river/ });
      await button.click();
      await untilAt(page, river.at);
      await eventually(async () => (await button.getAttribute('aria-current')) === 'true');
    }));

  test('is handed on with the place, and the frame begins there', () =>
    withPage({}, async (page) => {
      await page.goto(`${server.http}/videos/${video.id}?t=8`);
      await page.locator('#player[data-state=playing]').waitFor();
      await page.getByRole('button', { name: 'Share' }).click();
      const dialog = page.getByRole('dialog', { name: 'Share this recording' });
      await dialog.getByLabel(/^Begin at/).check();
      const code = await dialog.locator('pre').textContent();
      const source = /src="([^"]+)"/.exec(code)[1].replaceAll('&amp;', '&');
      assert.match(source, new RegExp(`/embed/video/${video.id}\\?t=\\d+$`));
      await page.goto(source);
      await page.locator('#player[data-state=playing]').waitFor();
      const { position } = await replayOf(page);
      assert.ok(position >= 7, `it began at ${position}`);
      const box = await page.locator('#player').boundingBox();
      const window = page.viewportSize();
      assert.deepEqual([box.width, box.height], [window.width, window.height]);
    }));

  test('fits a phone, in both directions, with the chat as a tab', () =>
    withPage(PHONE, async (page) => {
      await page.addInitScript(() => localStorage.setItem('rillcast.language', 'ar'));
      for (const path of ['/', '/videos', `/videos/${video.id}`]) {
        await page.goto(server.http + path);
        await page.locator('.video-card, #player').first().waitFor();
        assert.equal(await page.evaluate(() => document.documentElement.dir), 'rtl');
        assert.ok(await fitsWidth(page), `${path} is wider than the screen`);
      }
      await page.locator('#player[data-state=playing]').waitFor();
      await page.getByRole('tab').nth(1).tap();
      await page.locator('.video-chapters').waitFor();
      await page.getByRole('tab').first().tap();
      await page.locator('.chat-scroll').waitFor();
    }));

  test('one that nobody may see is not there, and the operator is told who sees it', () =>
    withPage({ allow: [NOT_FOUND, UNAUTHORIZED] }, async (page) => {
      await change(server, video, { visibility: 'unlisted' });
      assert.equal((await publicVideos(server)).total, 0);
      await page.goto(`${server.http}/videos/${video.id}`);
      await page.getByText(/only people who have the link/).waitFor();
      await change(server, video, { visibility: 'private' });
      const answer = await page.goto(`${server.http}/videos/${video.id}`);
      assert.equal(answer.status(), 404);
      await page.getByRole('heading', { name: 'This recording is not here' }).waitFor();
      assert.equal((await fetch(server.http + video.playlist)).status, 404);
      // A session is what the operator's browser has.
      await page.goto(`${server.http}/admin/`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('#menu').waitFor({ state: 'attached' });
      await page.goto(`${server.http}/videos/${video.id}`);
      await page.getByText(/only you can see this recording/).waitFor();
      await change(server, video, { visibility: 'public' });
    }));

  test('one that is deleted is nowhere any more', () =>
    withPage({ allow: [NOT_FOUND] }, async (page) => {
      await page.goto(`${server.http}/videos/${video.id}`);
      await page.locator('#player[data-state=playing]').waitFor();
      const headers = { Authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}` };
      const answer = await fetch(`${server.http}/api/admin/videos/${video.id}`, { method: 'DELETE', headers });
      assert.ok(answer.ok, `deleting was answered with ${answer.status}`);
      const path = `/api/videos/${video.id}`;
      assert.equal(await page.evaluate(async (one) => (await fetch(one)).status, path), 404);
      await page.goto(`${server.http}/videos`);
      await page.getByText('No recordings yet').waitFor();
      await page.goto(server.http);
      await page.locator('#offline-banner').waitFor();
      assert.equal(await page.getByRole('region', { name: 'Latest recordings' }).count(), 0);
    }));
});

// What is left of a broadcast: its page with charts, incidents and where visitors came from, and its files.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { PASSWORD, setUp } from '../lib/admin.mjs';
import { untilState } from '../lib/broadcast.mjs';
import { fitsWidth, UNAUTHORIZED, useBrowser, watchPolicy } from '../lib/browser.mjs';
import { eventually } from '../lib/eventually.mjs';
import { publisherFor } from '../lib/publisher.mjs';
import { serverFor } from '../lib/server.mjs';

/** A player that waits for the publisher, and one whose stream is over, ask for what there is not. */
const NOTHING_NEW = /status of (404|503)/;

const withPage = useBrowser();

/** The page's document, once it says what is waited for. */
function untilTold(admin, id, isTold) {
  return eventually(async () => {
    const detail = await admin.get(`/api/admin/streams/${id}`);
    if (!isTold(detail)) throw new Error(JSON.stringify(detail));
    return detail;
  });
}

const hasIncident = (code) => (detail) => detail.incidents.some((incident) => incident.code === code);

test('a past stream has a page with its viewers, its incidents and where visitors came from', async (t) => {
  const server = await serverFor(t);
  const admin = await setUp(server, { name: 'Brook Radio' });
  await admin.set('streamtitle', 'Walk to the old mill');
  const first = publisherFor(t, server);
  await untilState(server, 'live');
  const [{ id }] = await eventually(async () => {
    const streams = await admin.get('/api/admin/streams');
    if (streams.length === 0) throw new Error('the stream is not in the history');
    return streams;
  });
  await withPage({ allow: [UNAUTHORIZED, NOTHING_NEW] }, async (page, context) => {
    const violations = await watchPolicy(context);
    await page.goto(server.http, { referer: 'https://news.example/item?user=ada' });
    await page.locator('#player').waitFor();
    await first.kill();
    await untilTold(admin, id, hasIncident('publisher-lost'));
    const second = publisherFor(t, server);
    await untilTold(admin, id, hasIncident('publisher-returned'));
    await page.goto('about:blank');
    await second.stop();
    await untilTold(admin, id, ({ endedAt, referrers }) => endedAt && referrers.length > 0);

    await page.goto(`${server.http}/admin/past-streams`);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Walk to the old mill' }).press('Enter');
    await page.getByRole('heading', { name: 'Walk to the old mill' }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/admin/streams/${id}`);
    await page.getByText('The connection to your encoder was lost').waitFor();
    await page.getByRole('row', { name: /news\.example 1/ }).waitFor();
    assert.ok(!(await page.content()).includes('user=ada'), 'more than the host is known');

    // The chart is read off with the keyboard, and nothing moves meanwhile.
    const chart = page.locator('.time-chart').first();
    const before = await chart.boundingBox();
    await chart.getByRole('slider', { name: 'Read off: Viewers over time' }).focus();
    await page.keyboard.press('ArrowLeft');
    await chart.locator('.chart-moment').waitFor();
    assert.deepEqual(await chart.boundingBox(), before);
    assert.ok((await chart.locator('.chart-axes text').count()) >= 3, 'the axes have labels');
    await page.setViewportSize({ width: 320, height: 700 });
    assert.ok(await fitsWidth(page), 'the page is wider than a small phone');

    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download the viewers: CSV' }).click();
    const download = await downloading;
    assert.match(download.suggestedFilename(), /^viewers-\d{4}-\d\d-\d\d-\d{4}\.csv$/);
    const table = await readFile(await download.path(), 'utf8');
    assert.ok(table.startsWith('\u{feff}time,viewers,peak viewers,'), table);
    assert.equal(await page.getByRole('link', { name: /chat log/ }).count(), 0, 'the chat can be saved unasked');
    assert.deepEqual(violations, []);
  });
});

// The pages about the Fediverse in a real browser: what the operator decides there reaches others, what others do is seen
// there, and viewers follow, look around and show who they are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFromMenu } from '../lib/admin.mjs';
import { watchPolicy } from '../lib/browser.mjs';
import { eventually } from '../lib/eventually.mjs';
import { openChat } from '../lib/chat-page.mjs';
import { ARRIVAL_MS } from './lib/operator.mjs';
import { peerFor } from './lib/peer.mjs';
import * as activities from './lib/activities.mjs';
import { describe, streamer, tell, withMetadata } from './lib/streamers.mjs';
import { PICTURE, useTestbed } from './lib/testbed.mjs';

const testbed = useTestbed(
  'ask.test',
  'fan.test',
  'ill.test',
  'spam.test',
  'one.test',
  'two.test',
  'list.test',
  'me.test',
);

const confirm = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const tab = (page, name) => page.getByRole('tab', { name });

test('the operator switches federation on, and approves who asks to follow', async () => {
  const { server, inbox } = testbed;
  const alice = await testbed.peer('ask.test');
  await testbed.asOperator('config-federation', async (page, context) => {
    const violations = await watchPolicy(context);
    await page.getByRole('switch', { name: 'Take part in the Fediverse' }).check();
    await page.getByText('@live@a.test', { exact: true }).waitFor();
    await page.getByRole('switch', { name: 'Approve every follower' }).check();
    await eventually(async () => (await alice.lookUp('live@a.test')).manuallyApprovesFollowers, {
      deadlineMs: ARRIVAL_MS,
    });
    await alice.send(activities.follow(alice, server.actor), { to: inbox });
    await server.operator.until('pending', (all) => all.length === 1);

    await openFromMenu(page, 'Followers');
    await page.getByText('Nobody follows yet').waitFor();
    await tab(page, /^Waiting 1$/).click();
    await page.getByRole('button', { name: 'Approve: alice of ask.test' }).click();
    await page.getByText('Nobody is waiting').waitFor();
    await alice.hears('Accept');
    await tab(page, 'All').click();
    await page.getByRole('link', { name: '@alice@ask.test' }).waitFor();
    assert.deepEqual(violations, []);
  });
});

test('a post with a picture is written, answered, seen with its answers, and deleted', async () => {
  const { server, inbox } = testbed;
  await testbed.takePart();
  const fan = await testbed.peer('fan.test');
  await testbed.follow(fan);
  await fan.hears('Accept');
  await testbed.asOperator('federation/posts', async (page, context) => {
    const violations = await watchPolicy(context);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Write something or choose a picture.').waitFor();
    await page.getByLabel('A post to your followers').fill('The **river** is high #weather');
    await page.getByLabel('Add a picture').setInputFiles(PICTURE);
    await page.getByLabel('What the picture shows').fill('Brown water up to the bridge');
    await page.getByRole('button', { name: 'Publish' }).click();
    const row = page.locator('.post-row', { hasText: 'The river is high' });
    const picture = row.getByRole('img', { name: 'Brown water up to the bridge' });
    // One that could not be loaded has no size of its own.
    await eventually(() => picture.evaluate((image) => image.complete && image.naturalWidth > 0));

    const { object: note } = await fan.hears('Create');
    const [attachment] = note.attachment;
    assert.equal(attachment.name, 'Brown water up to the bridge');
    const file = await fetch(attachment.url);
    assert.deepEqual([file.status, file.headers.get('content-type')], [200, 'image/png']);
    assert.ok(Buffer.from(await file.arrayBuffer()).equals(PICTURE.buffer), 'the picture is the one that was sent');

    await fan.send(activities.like(fan, note.id), { to: inbox });
    await fan.send(activities.reply(fan, note.id, server.actor, '<p>Stay <b>dry</b>!</p>'), { to: inbox });
    await server.operator.until('inboundPosts', (all) => all.length === 1);
    await server.operator.untilAction('FEDIVERSE_ENGAGEMENT_LIKE', fan.id);
    await openFromMenu(page, 'Social actions');
    const reply = page.locator('.post-row', { hasText: 'Stay dry!' });
    await reply.getByRole('link', { name: '@alice@fan.test' }).waitFor();
    await tab(page, 'Activity').click();
    await page.getByRole('row', { name: /Liked.*fan\.test/ }).waitFor();
    await tab(page, 'Replies').click();
    await reply.getByRole('button', { name: /^Delete here/ }).click();
    await page.getByText('Nobody has written yet').waitFor();

    await openFromMenu(page, 'Posts');
    await row.getByText('1 like', { exact: true }).waitFor();
    await row.getByRole('button', { name: /^Delete/ }).click();
    await confirm(page, 'Delete');
    await page.getByText('No posts yet').waitFor();
    await fan.hears('Delete');
    assert.equal((await fetch(attachment.url)).status, 404);
    assert.deepEqual(violations, []);
  });
});

test('a server in trouble is seen with what waits for it, tried again, and given up', async () => {
  const { operator } = testbed.server;
  await testbed.takePart();
  const ill = await testbed.peer('ill.test');
  await testbed.follow(ill);
  await ill.hears('Accept');
  // More than both ways to sign of every attempt here.
  ill.mood = Array(8).fill(503);
  await operator.post('Will this arrive?');
  const isTried = ({ host, kind, state, attempts }) =>
    host === 'ill.test' && kind === 'post' && state === 'pending' && attempts > 0;
  await operator.until('deliveries', (all) => all.some(isTried));
  await testbed.asOperator('federation/deliveries', async (page) => {
    const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row', { name: /ill\.test Post/ });
    await row.getByText('Status 503').waitFor();
    const trouble = page.getByRole('table', { name: 'Servers in trouble' }).getByRole('row', { name: /ill\.test/ });
    await trouble.getByText('Paused').waitFor();
    ill.mood = [];
    await row.getByRole('button', { name: 'Retry now: ill.test' }).click();
    await ill.hears('Create');
    await operator.until('deliveries', (all) => !all.some(isTried));
    await page.getByRole('button', { name: 'Delivered', exact: true }).click();
    await row.getByText('Status 202').waitFor();

    ill.mood = Array(8).fill(503);
    await operator.post('And this?');
    await operator.until('deliveries', (all) => all.some(isTried));
    await page.getByRole('button', { name: 'Waiting', exact: true }).click();
    await row.getByRole('button', { name: 'Drop: ill.test' }).click();
    await confirm(page, 'Drop');
    await row.waitFor({ state: 'detached' });
    assert.ok(!(await operator.deliveries()).some(isTried));
  });
});

test('a domain that is blocked loses its followers and is not heard any more', async () => {
  const { server } = testbed;
  await testbed.takePart();
  const spammer = await testbed.peer('spam.test');
  await testbed.follow(spammer);
  await spammer.hears('Accept');
  await testbed.asOperator('config-federation', async (page) => {
    await page.getByLabel('Domains').fill('spam.test');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove spam.test' }).waitFor();
    await server.operator.until('followers', (all) => !all.some(({ link }) => link === spammer.id));
    const follow = activities.follow(spammer, server.actor);
    await spammer.send(follow, { to: testbed.inbox, status: [202, 401, 403] });
    await page.getByRole('button', { name: 'Remove spam.test' }).click();
    await page.getByRole('button', { name: 'Remove spam.test' }).waitFor({ state: 'detached' });
    await spammer.send(activities.follow(spammer, server.actor), { to: testbed.inbox });
    await spammer.hears('Accept', ({ object }) => object.id !== follow.id);
  });
});

/** A stream of another program, which says yes to being featured and that it is live. */
async function liveStream(host) {
  const stream = await peerFor(testbed.world, host, streamer, 'streamer');
  describe(stream);
  return {
    stream,
    agree: async () => {
      const follow = await stream.hears('Follow');
      const metadata = { streamStatus: 'live', serverName: `streamer of ${host}`, streamTitle: `${host} is on` };
      await stream.send(tell(stream, 'Accept', follow, metadata), { to: testbed.inbox });
      await stream.send(tell(stream, 'Offer', stream.base, metadata), { to: testbed.inbox });
    },
  };
}

test('streams are featured, ordered and shown to viewers, and a directory may list this one', async () => {
  const { server, inbox } = testbed;
  await testbed.takePart();
  const one = await liveStream('one.test');
  const two = await liveStream('two.test');
  const directory = await peerFor(testbed.world, 'list.test', streamer, 'list');
  const followRequest = { ...activities.follow(directory, server.actor), ...withMetadata({ directory: true }) };
  await testbed.asOperator('federation/servers', async (page, context) => {
    await page.getByText('No featured streams yet').waitFor();
    const address = page.getByLabel('Address of a server');
    await address.fill('ftp://one.test');
    await page.getByRole('button', { name: 'Feature', exact: true }).click();
    await page.getByText('Enter the address of a server, with https.').waitFor();
    for (const [host, { agree }] of [
      ['one.test', one],
      ['two.test', two],
    ]) {
      await address.fill(host);
      await page.getByRole('button', { name: 'Feature', exact: true }).click();
      await eventually(async () => (await address.inputValue()) === '');
      await agree();
    }
    const isOn = ({ followStatus, isOnline }) => followStatus === 'accepted' && isOnline;
    await server.operator.until('servers', (all) => all.length === 2 && all.every(isOn));
    await directory.send(followRequest, { to: inbox });
    await server.operator.until('featureRequests', (all) => all.length === 1);

    await page.reload();
    const rows = page.getByRole('list', { name: 'Featured' }).getByRole('listitem');
    const hosts = () => rows.locator('.account-text a').allInnerTexts();
    await page.getByRole('button', { name: 'Move up: streamer of two.test' }).click();
    await eventually(async () => (await hosts()).join() === 'two.test,one.test');
    const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label'));
    await eventually(async () => (await focused()) === 'Move down: streamer of two.test');
    await tab(page, /^Requests 1$/).click();
    await page.getByRole('button', { name: /^Approve/ }).click();
    await page.getByText('No requests').waitFor();
    await directory.hears('Accept');
    await tab(page, 'Directories').click();
    await page.getByRole('link', { name: '@list@list.test' }).waitFor();

    const viewer = await context.newPage();
    await viewer.goto(server.http);
    await tab(viewer, 'Featured streams').click();
    const shown = viewer.locator('.featured-server[data-online=true]');
    await shown.getByText('one.test is on').waitFor();
    assert.deepEqual(await shown.locator('.person-account').allInnerTexts(), ['two.test', 'one.test']);
  });
});

test('a viewer follows from their own server, finds who follows, and shows who they are', async () => {
  const { server } = testbed;
  await testbed.takePart();
  const me = await testbed.peer('me.test', 'mia');
  const plain = me.webfinger();
  me.plain = { '/authorize_interaction': 'confirm here' };
  await testbed.follow(me);
  await me.hears('Accept');
  const refusals = [/status of 400/, /status of 403/, /status of 404/];
  await testbed.withPage({ allow: refusals }, async (page, context) => {
    await openChat(page, server.http);
    await page.locator('#offline-follow-button').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('@live@a.test', { exact: true }).waitFor();
    const go = (account) => {
      const field = dialog.getByLabel('Your account');
      return field.fill(account).then(() => field.press('Enter'));
    };
    await go('mia');
    await dialog.getByText('Enter your account with its server').waitFor();
    // A server that cannot be asked, and one that does not say where to follow.
    const error = dialog.getByRole('alert');
    for (const account of ['mia@nowhere.test', '@mia@me.test']) {
      const before = await error.innerText();
      await go(account);
      await eventually(async () => ![before, ''].includes(await error.innerText()));
      assert.doesNotMatch(await error.innerText(), /That did not work/);
    }
    const rel = 'http://ostatus.org/schema/1.0/subscribe';
    const template = `${me.base}/authorize_interaction?uri={uri}`;
    me.webfinger = () => ({ ...plain, links: [...plain.links, { rel, template }] });
    await go('@mia@me.test');
    // A browser in a hurry opens it by itself; the link is always there.
    const link = dialog.getByRole('link', { name: /me\.test/ });
    const opened = context.waitForEvent('page');
    await link.click();
    const url = new URL((await opened).url());
    assert.deepEqual([url.host, url.pathname], ['me.test', '/authorize_interaction']);
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'offline-follow-button', 'the focus is where it was');

    await tab(page, /^Followers/).click();
    await page
      .locator('.followers')
      .getByRole('link', { name: /@mia@me\.test/ })
      .waitFor();

    await page.getByRole('button', { name: 'Your menu' }).click();
    await page.getByRole('menuitem', { name: 'Sign in' }).click();
    await go('@mia@me.test');
    const { object } = await me.hears('Create', ({ to }) => to.length === 1 && to[0] === me.id);
    const [code] = /\b\d{6}\b/.exec(object.content);
    const field = dialog.getByLabel('Code');
    await field.fill(code === '000000' ? '000001' : '000000');
    await field.press('Enter');
    await dialog.getByText('This code is wrong').waitFor();
    await field.fill(code);
    await field.press('Enter');
    await page.getByText('You are signed in.').waitFor();
    await page.locator('#chat-container[data-state=open]').waitFor();
    await page.getByRole('button', { name: 'Your menu' }).click();
    await page.getByRole('menuitem', { name: 'Change name' }).waitFor();
    assert.equal(await page.getByRole('menuitem', { name: 'Sign in' }).count(), 0);
  });
});

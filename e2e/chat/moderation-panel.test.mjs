// What moderators see that others do not, why they acted, and how somebody becomes one by a link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basicClient, PASSWORD } from '../lib/admin.mjs';
import { useBrowser } from '../lib/browser.mjs';
import {
  hiddenLines,
  lines,
  myName,
  NO_FLOOD_PROTECTION,
  openAsModerator,
  openChat,
  openModeration,
  openPanel,
  untilChat,
  write,
} from '../lib/chat-page.mjs';
import { serverAndProvider, signIn } from '../lib/provider.mjs';
import { serverFor } from '../lib/server.mjs';

const withPage = useBrowser();

const server = (t) => serverFor(t, { args: ['--admin-password', PASSWORD, ...NO_FLOOD_PROTECTION] });

/** A moderator and somebody else, each in a browser of their own. */
const withBoth = (options, body) => withPage(options, (moderator) => withPage(options, (eve) => body(moderator, eve)));

test('a hidden message is taken back at once, or again after a reload', async (t) => {
  const started = await server(t);
  await withBoth({}, async (moderator, eve) => {
    await openAsModerator(moderator, started);
    await openChat(eve, started.http);
    await write(eve, 'rude or not');
    const hide = async () => {
      const menu = await openModeration(moderator, 'rude or not');
      await menu.getByRole('menuitem', { name: 'Hide message' }).click();
      await lines(eve, 'rude or not').waitFor({ state: 'detached' });
      await hiddenLines(moderator, 'rude or not').waitFor();
    };
    await hide();
    await moderator.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await lines(eve, 'rude or not').waitFor();
    await hiddenLines(moderator, 'rude or not').waitFor({ state: 'detached' });

    await hide();
    for (const page of [moderator, eve]) {
      await page.reload();
      await untilChat(page, 'open');
    }
    await hiddenLines(moderator, 'rude or not').waitFor();
    await write(eve, 'the room goes on');
    assert.equal(await lines(eve, 'rude or not').count(), 0);
    await hiddenLines(moderator, 'rude or not').getByRole('button', { name: 'Show again' }).click();
    await hiddenLines(moderator, 'rude or not').waitFor({ state: 'detached' });
    await lines(moderator, 'rude or not').waitFor();
  });
});

test('a timeout and a ban have a reason, are listed, lifted and logged', async (t) => {
  const started = await server(t);
  await withBoth({ allow: [/status of 401/] }, async (moderator, eve) => {
    await openAsModerator(moderator, started);
    await openChat(eve, started.http);
    await write(eve, 'buy my coins');
    const name = await myName(eve);
    const choose = async (item) => {
      const menu = await openModeration(moderator, 'buy my coins');
      await menu.getByRole('menuitem', { name: item, exact: true }).click();
      return moderator.getByRole('dialog');
    };
    const timeout = await choose('Time out…');
    await timeout.getByRole('button', { name: '5 minutes' }).click();
    await timeout.getByLabel('Reason (optional)').fill('advertising');
    await timeout.getByRole('button', { name: 'Time out' }).click();
    await eve.getByRole('log').getByText(/timed you out. Reason: advertising/).waitFor();

    const people = await openPanel(moderator, 'Banned and timed out');
    await people.getByText('Reason: advertising').waitFor();
    await people.getByRole('button', { name: `Lift the timeout of ${name}` }).click();
    await people.getByText('Nobody is banned or timed out.').waitFor();
    await people.getByRole('button', { name: 'Close' }).click();

    const ban = await choose('Ban');
    await ban.getByLabel('Reason (optional)').fill('still advertising');
    await ban.getByRole('button', { name: 'Ban' }).click();
    await untilChat(eve, 'disabled');
    await eve.getByText('Reason: still advertising').waitFor();

    const log = await openPanel(moderator, 'Log');
    const entries = log.getByRole('listitem');
    await entries.filter({ hasText: 'lifted the timeout' }).waitFor();
    assert.match(await entries.nth(0).innerText(), /banned[^]*Reason: still advertising/);
    assert.match(await entries.nth(2).innerText(), /timed[^]*Reason: advertising/);
    await log.getByRole('tab', { name: 'Banned and timed out' }).click();
    await log.getByRole('button', { name: `Unban ${name}` }).click();
    await log.getByText('Nobody is banned or timed out.').waitFor();
    await eve.reload();
    await untilChat(eve, 'open');
  });
});

test('a link makes somebody a moderator once they have signed in, and nobody after them', async (t) => {
  const { server: started } = await serverAndProvider(t);
  const admin = basicClient(started);
  const { token } = (await admin.post('/api/admin/chat/invitations/create', {})).json();
  const link = `${started.http}/#moderator=${token}`;
  await withBoth({}, async (ada, bob) => {
    await ada.goto(link);
    const dialog = ada.getByRole('dialog', { name: 'Become a moderator' });
    await dialog.getByText(/Please sign in first/).waitFor();
    assert.equal(new URL(ada.url()).hash, '', 'the secret has left the address');
    const chatToken = await ada.evaluate(() => localStorage.getItem('rillcast.chat.token'));
    await signIn(started, { token: chatToken });
    // As after coming back from the provider: the browser still knows the invitation.
    await ada.reload();
    await dialog.getByText(/You are signed in as/).waitFor();
    await dialog.getByRole('button', { name: 'Become a moderator' }).click();
    await ada.getByText(/You are a moderator now/).waitFor();
    const panel = await openPanel(ada, 'Log');
    await panel.getByText(/accepted an invitation/).waitFor();

    // The page of whoever comes later asks them to sign in, and says nothing about the link before.
    await bob.goto(link);
    await bob.getByText(/Please sign in first/).waitFor();
    assert.deepEqual((await admin.get('/api/admin/chat/invitations')).json(), []);
  });
});

// The page of `rillcast plugin serve`, as an author of a plugin uses it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitsWidth, useBrowser, watchPolicy } from '../lib/browser.mjs';
import { eventually } from '../lib/eventually.mjs';
import { BELL, idle, say, devServerFor } from './lib/dev-server.mjs';

const withPage = useBrowser();

const message = (page) => page.getByLabel('Message', { exact: true });
const chat = (page) => page.getByRole('log', { name: 'Chat' });
const notes = (page) => page.getByRole('log', { name: 'What happened' });

test('an author talks to a plugin, lets things happen and sees what it does and keeps', (t) =>
  withPage({}, async (page, context) => {
    const violations = await watchPolicy(context);
    const devServer = await devServerFor(t);
    await page.goto(devServer.http);
    await page.getByRole('heading', { level: 1, name: 'Door Bell' }).waitFor();
    await page.getByText('door-bell 1.2.0').waitFor();
    await page.getByText('Running', { exact: true }).waitFor();
    await page.getByText(/^Loaded at /).waitFor();
    await page.getByText('Nobody has said anything yet.').waitFor();
    await page.getByText('No values:').waitFor();

    await page.getByLabel('Name', { exact: true }).fill('mira');
    await say(page, 'hi');
    await chat(page).getByText('Hello, mira!').waitFor();
    await notes(page).getByText('Hello, mira!').waitFor();
    await page.getByText('Nobody has said anything yet.').waitFor({ state: 'hidden' });
    await idle(page);
    assert.equal(await message(page).inputValue(), '', 'the field is ready for the next line');

    await say(page, '!ring');
    await chat(page).getByText('That was ring number 1.').waitFor();
    await page.getByRole('cell', { name: 'rings', exact: true }).waitFor();
    await page.getByRole('cell', { name: 'ding dong' }).waitFor();
    await page.getByRole('cell', { name: 'log/last.txt' }).waitFor();
    await idle(page);
    await page.keyboard.press('ArrowUp');
    assert.equal(await message(page).inputValue(), '!ring', 'what was typed comes back');
    await page.keyboard.press('Enter');
    await page.getByText('rings (2 rows)').waitFor();

    // Only a moderator may.
    await say(page, '!mute');
    await page.getByLabel('Moderator').check();
    await say(page, '!mute');
    await chat(page).getByText('Quiet now.').waitFor();
    assert.equal(await chat(page).getByText('Quiet now.').count(), 1);
    await chat(page).locator('.tag', { hasText: 'moderator' }).waitFor();

    // A line whose filter had no time on a busy machine is said.
    await eventually(async () => {
      await say(page, 'rude');
      return (await page.getByText('Kept back by the filter: be nice').count()) > 0;
    });

    await page.getByLabel('Event').selectOption('stream.started');
    const payload = page.getByLabel('Payload');
    assert.match(await payload.inputValue(), /"title": "Friday show"/);
    await payload.fill('{"title": "Night swim"}');
    await page.getByRole('button', { name: 'Fire' }).click();
    await page.getByText(/^stream\.started was told at .*\.$/).waitFor();
    await chat(page).getByText('<b>Night swim</b> has begun').waitFor();
    await page.getByRole('cell', { name: 'Night swim' }).waitFor();
    await payload.fill('{');
    await payload.press('Control+Enter');
    await page.getByText('The payload is no JSON').waitFor();
    await page.getByRole('button', { name: 'Restore the sample' }).click();
    assert.match(await payload.inputValue(), /Friday show/);
    await page.getByLabel('Event').selectOption('tick');
    await page.getByRole('button', { name: 'Fire' }).click();
    await page.getByText('but the plugin has no handler for it').waitFor();

    const link = await page.getByRole('link', { name: 'Its pages' }).getAttribute('href');
    const there = await page.request.get(new URL(link, devServer.http).href);
    assert.match(await there.text(), /The bell/);
    assert.ok(await fitsWidth(page));
    assert.deepEqual(violations, []);
  }));

test('what goes wrong is shown with its traceback, and that it was mended', (t) =>
  withPage({}, async (page) => {
    const devServer = await devServerFor(t);
    await page.goto(devServer.http);
    await page.getByText(/^Loaded at /).waitFor();
    await say(page, 'break');
    const failed = notes(page).locator('li.error', { hasText: 'AttributeError' });
    await failed.getByText('msg.no.such.thing').waitFor();
    assert.equal(await failed.count(), 1, 'it is told once');

    devServer.write('src/plugin.py', BELL.replace('def ring(ctx):', 'def ring(ctx:'));
    const trouble = page.getByRole('alert');
    await trouble.getByText('the former version goes on').waitFor();
    await trouble.getByText('SyntaxError').waitFor();
    await say(page, '!ring');
    await chat(page).getByText('That was ring number 1.').waitFor();

    devServer.write('src/plugin.py', BELL.replace('Ding dong!', 'Dong ding!'));
    await page.getByText(/^Reloaded at .*, 1×$/).waitFor();
    await trouble.waitFor({ state: 'hidden' });
    await say(page, '!ring');
    await chat(page).getByText('Dong ding! That was ring number 2.').waitFor();

    await page.getByLabel('Show').selectOption('warnings and errors');
    await notes(page).getByText('Dong ding!').waitFor({ state: 'hidden' });
    await failed.waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('Nothing yet:').waitFor();
  }));

test('the page is used by keyboard alone, on a phone', (t) =>
  withPage({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }, async (page) => {
    const devServer = await devServerFor(t);
    await page.goto(devServer.http);
    await page.getByText(/^Loaded at /).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await eventually(() => page.evaluate(() => document.activeElement?.id === 'message'));
    await page.keyboard.type('!ring');
    await page.keyboard.press('Enter');
    await chat(page).getByText('That was ring number 1.').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'message', 'the focus stays');
    const unnamed = await page.evaluate(() => {
      const fields = [...document.querySelectorAll('input, select, textarea')];
      return fields.filter((field) => field.labels.length === 0).map((field) => field.id);
    });
    assert.deepEqual(unnamed, [], 'every field has a label');
    await page.getByText('What it may do and what it listens to').click();
    await page.getByText('keep small values on this server').waitFor();
    assert.ok(await fitsWidth(page));
  }));

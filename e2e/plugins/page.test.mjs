// Plugins in a browser: the operator's pages from the file to its removal, and what viewers see of a plugin.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { openFromMenu, setUp } from '../lib/admin.mjs';
import { fitsWidth, UNAUTHORIZED, useBrowser, watchPolicy } from '../lib/browser.mjs';
import { join, sayAndHear } from '../lib/chat.mjs';
import { eventually } from '../lib/eventually.mjs';
import { startServer } from '../lib/server.mjs';
import { NO_FLOOD_PROTECTION } from '../lib/chat-page.mjs';
import { pluginAdminOf } from './lib/plugin-admin.mjs';
import { exampleOf, fileOf, packageOf } from './lib/packages.mjs';
import { badge, choose, confirm, focused, NOTES, openTab, signIn } from './lib/pages.mjs';

const withPage = useBrowser();
const signedOut = { allow: [UNAUTHORIZED] };
/** The page looks every five seconds, and two looks make a line. */
const CHART_DEADLINE_MS = 30_000;
/** What is drawn of a plugin that has been called. */
const CHARTS = ['Memory', 'CPU time per second', 'Calls per minute', 'Call duration', 'Failures per minute'];

let server;
let pluginAdmin;

before(async () => {
  server = await startServer({ args: NO_FLOOD_PROTECTION });
  pluginAdmin = pluginAdminOf(server, await setUp(server, { name: 'Brook Radio' }));
});
after(() => server?.stop());

test('a plugin is added, looked at, enabled, used, disabled and removed', () =>
  withPage(signedOut, async (page, context) => {
    const violations = await watchPolicy(context);
    await signIn(page, server);
    await page.getByText('No plugins yet').waitFor();
    await choose(page, 'dice', exampleOf('dice'));
    await page.getByText('Dice was added. Review and enable it.').waitFor();
    assert.equal(new URL(page.url()).pathname, '/admin/plugins/dice');
    await badge(page, 'Off').waitFor();
    await eventually(async () => (await focused(page)) === 'Dice');

    await openTab(page, 'Permissions');
    await page.getByText('Write in the chat as a bot, and as the server').waitFor();
    await page.getByRole('heading', { name: 'Medium risk' }).waitFor();

    await page.getByRole('button', { name: 'Enable', exact: true }).click();
    const question = page.getByRole('dialog');
    await question.getByText('Enable Dice?').waitFor();
    await question.getByText('Write in the chat as a bot, and as the server').waitFor();
    await question.getByRole('button', { name: 'Enable', exact: true }).click();
    await badge(page, 'Running').waitFor();
    await page.getByText('Dice is enabled.').waitFor();

    await openTab(page, 'Overview');
    await page.getByRole('cell', { name: '!roll, !dice' }).waitFor();
    const person = await join(server, 'Marta');
    person.say('!roll 2d6');
    await person.hears(({ type, body }) => type === 'CHAT' && /Marta rolls 2d6: \d \+ \d = \d+/.test(body));
    await person.leave();
    await openTab(page, 'Numbers');
    const calls = page.locator('.facts div', { hasText: /^Calls/ }).locator('dd');
    await eventually(async () => Number(await calls.textContent()) > 0, { deadlineMs: CHART_DEADLINE_MS });
    for (const title of CHARTS) {
      const chart = page.locator('.time-chart', { hasText: title }).getByRole('img');
      await chart.waitFor({ timeout: CHART_DEADLINE_MS });
      assert.match(await chart.getAttribute('aria-label'), new RegExp(title));
    }
    assert.ok(await fitsWidth(page));

    await confirm(page, 'Disable');
    await badge(page, 'Off').waitFor();
    await page.getByText('Numbers appear once it is loaded.').waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('dialog').getByText('Remove Dice?').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.ok(await pluginAdmin.entry('dice'), 'a question that was not answered does nothing');
    await confirm(page, 'Remove');
    await page.getByText('Dice was removed.').waitFor();
    await page.getByText('No plugins yet').waitFor();
    assert.ok((await pluginAdmin.entry('dice')).included, 'the one that comes with the server is back');
    assert.deepEqual(violations, []);
  }));

test('the settings of a plugin are filled in, saved, and count at once', () =>
  withPage(signedOut, async (page, context) => {
    const violations = await watchPolicy(context);
    await pluginAdmin.install('word-shield', exampleOf('word-shield'));
    await signIn(page, server, '/admin/plugins/word-shield');
    await page.getByLabel(/^Words nobody should read/).fill('brimstone, treacle');
    await page.getByRole('switch', { name: /^Refuse the whole message/ }).press('Space');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('The settings were saved.').waitFor();
    await page.reload();
    const words = page.getByLabel(/^Words nobody should read/);
    await eventually(async () => (await words.inputValue()) === 'brimstone, treacle');
    assert.ok(await page.getByRole('switch', { name: /^Refuse the whole message/ }).isChecked());
    await page.getByRole('switch', { name: /^Refuse the whole message/ }).uncheck();
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('The settings were saved.').waitFor();

    const person = await join(server, 'Jonas');
    // A line whose filter had no time on a busy machine is heard as it was typed.
    await eventually(async () => {
      const { body } = await sayAndHear(person, `all brimstone and no honey ${Date.now()}`);
      return body.includes('all ********* and no honey');
    });
    await person.leave();
    await pluginAdmin.remove('word-shield');
    assert.deepEqual(violations, []);
  }));

test('a plugin’s own page for the operator works in a frame that is kept apart', () =>
  withPage(signedOut, async (page, context) => {
    const violations = await watchPolicy(context);
    await pluginAdmin.install('song-wishes', exampleOf('song-wishes'));
    const person = await join(server, 'Sol');
    person.say('!wish Here Comes the Sun');
    await person.hears(({ type, body }) => type === 'CHAT' && body.includes('wishes for Here Comes the Sun'));
    await person.leave();
    await signIn(page, server, '/admin/plugins/song-wishes');
    await openTab(page, 'Song wishes');
    const frame = page.locator('iframe[title="Song wishes"]');
    const inside = page.frameLocator('iframe[title="Song wishes"]');
    await inside.getByText('Here Comes the Sun').waitFor();
    assert.doesNotMatch(await frame.getAttribute('sandbox'), /allow-same-origin/);
    await inside.getByRole('button', { name: 'Done' }).click();
    await inside.getByText('Nobody has wished for a song yet.').waitFor();
    // The page looks at the plugins again and again; what is open in the frame stays.
    const [loaded] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/api/admin/plugins')),
      frame.evaluate((element) => element.setAttribute('data-mark', 'same')),
    ]);
    assert.equal(loaded.status(), 200);
    assert.equal(await frame.getAttribute('data-mark'), 'same');

    const stranger = await fetch(`${server.http}/plugins/song-wishes/admin`);
    assert.equal(stranger.status, 401, 'nobody else gets there');
    await pluginAdmin.disable('song-wishes');
    await page.getByText('This page comes from the plugin').waitFor();
    await pluginAdmin.remove('song-wishes');
    await badge(page, 'Off').waitFor();
    assert.deepEqual(violations, []);
  }));

test('a file that cannot be used says why, and the good ones beside it are added', () =>
  withPage({ allow: [UNAUTHORIZED, /status of 400/] }, async (page) => {
    await signIn(page, server);
    const broken = packageOf({ slug: 'broken' }, 'import json\nboom()\n');
    await page
      .locator('.drop-zone input')
      .setInputFiles([
        fileOf('broken', broken),
        fileOf('text', Buffer.from('no archive at all')),
        { name: 'dice.zip', mimeType: 'application/zip', buffer: exampleOf('dice') },
        fileOf('dice', exampleOf('dice')),
      ]);
    const refusals = page.locator('.refusals li');
    await refusals.nth(2).waitFor();
    await pluginAdmin.until('dice', ({ included }) => !included);
    assert.match(await refusals.filter({ hasText: 'broken.ocpkg' }).innerText(), /NameError/);
    assert.match(await refusals.filter({ hasText: 'text.ocpkg' }).innerText(), /not a ZIP/);
    assert.match(await refusals.filter({ hasText: 'dice.zip' }).innerText(), /does not end with \.ocpkg/);
    assert.ok(await fitsWidth(page));
    await pluginAdmin.remove('dice');
  }));

test('a plugin that fails shows its traceback, and the log has it too', () =>
  withPage(signedOut, async (page) => {
    const code =
      'from service_plugin import plugin\n@plugin.on_chat_message\ndef hear(msg):\n    return msg.no.such.thing\n';
    await pluginAdmin.install('grumbler', packageOf({ slug: 'grumbler', name: 'Grumbler' }, code));
    const person = await join(server, 'Ida');
    await sayAndHear(person, 'good morning');
    await pluginAdmin.until('grumbler', ({ callStats }) => callStats.failed > 0);
    await person.leave();
    await signIn(page, server);
    const row = page.locator('.plugin-rows li', { hasText: 'Grumbler' });
    await row.getByText(/AttributeError/).waitFor();
    await row.getByRole('link', { name: 'Grumbler' }).click();
    await page.locator('.plugin-traceback', { hasText: 'return msg.no.such.thing' }).waitFor();
    await openTab(page, 'Logs');
    await page
      .getByRole('cell', { name: /AttributeError/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Only errors' }).click();
    await page.getByText('Nothing this serious has happened. That is a good sign.').waitFor();
    await openFromMenu(page, 'Logs');
    await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor();
    await page
      .locator('.log-table')
      .getByText(/AttributeError.*grumbler/s)
      .first()
      .waitFor();
    await pluginAdmin.remove('grumbler');
  }));

test('everything can be reached and done by keyboard', () =>
  withPage(signedOut, async (page) => {
    await pluginAdmin.upload(exampleOf('word-shield'));
    await signIn(page, server);
    await page.getByRole('link', { name: 'Word Shield' }).press('Enter');
    await eventually(async () => (await focused(page)) === 'Word Shield');
    // From the heading on: the buttons in their order, then the tabs.
    const order = [];
    for (let step = 0; step < 3; step += 1) {
      await page.keyboard.press('Tab');
      order.push(await focused(page));
    }
    assert.deepEqual(order, ['Enable', 'Remove', 'Overview']);
    await page.keyboard.press('ArrowRight');
    assert.equal(await focused(page), 'Permissions');
    await page.getByText('Read, change and hold back every chat message before it is shown').waitFor();
    await page.keyboard.press('End');
    assert.equal(await focused(page), 'Logs');

    const enable = page.getByRole('button', { name: 'Enable', exact: true });
    await enable.press('Enter');
    await page.getByRole('dialog').waitFor();
    assert.ok(
      await page.evaluate(() => document.activeElement?.closest('dialog') !== null),
      'the dialog has the focus',
    );
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await focused(page), 'Enable', 'the focus is where it was');
    // The page hears of the end of a dialog a moment after it is gone.
    await page.locator('.plugin-tools dialog h2', { hasText: /^$/ }).waitFor({ state: 'attached' });
    await enable.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Enable', exact: true }).press('Enter');
    await badge(page, 'Running').waitFor();
    // The button stays under the focus.
    await eventually(async () => (await focused(page)) === 'Disable');
    await pluginAdmin.remove('word-shield');
  }));

test('a tab of a plugin opens in a frame without an origin, and nothing of plugins reaches the operator’s pages', () =>
  withPage(signedOut, async (page, context) => {
    const violations = await watchPolicy(context);
    const requested = [];
    context.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await pluginAdmin.install('notes', packageOf(NOTES.manifest, NOTES.code, NOTES.files));
    await page.goto(server.http);
    await page.getByRole('tab', { name: 'Notes' }).press('Enter');
    const frame = page.locator('iframe[title="Notes"]');
    assert.doesNotMatch(await frame.getAttribute('sandbox'), /allow-same-origin/);
    const inside = page.frameLocator('iframe[title="Notes"]');
    await inside.getByText('Kingfisher').waitFor();
    await inside.getByText('kept apart').waitFor();
    assert.notEqual(await page.title(), 'hurt');
    // Once it is seen it is as high as what is in it; browsers do not lay out frames that nobody sees.
    await frame.scrollIntoViewIfNeeded();
    const height = () => frame.evaluate((element) => element.getBoundingClientRect().height);
    const wanted = () => inside.locator('html').evaluate((element) => element.getBoundingClientRect().height);
    await eventually(async () => Math.abs((await height()) - (await wanted())) <= 2);
    assert.ok(await fitsWidth(page));
    const touched = () =>
      page.evaluate(() => ({
        script: document.documentElement.dataset.notes ?? '',
        style: getComputedStyle(document.documentElement).getPropertyValue('--notes-were-here').trim(),
      }));
    await eventually(async () => isDeepStrictEqual(await touched(), { script: '/', style: '1' }));
    await page.getByRole('button', { name: 'Map', exact: true }).click();
    await page.getByRole('dialog').getByText('Down the river, then left.').waitFor();
    await page.keyboard.press('Escape');

    requested.length = 0;
    await signIn(page, server);
    for (const path of ['/admin/', '/admin/plugins', '/admin/plugins/notes', '/admin/config/general', '/admin/logs']) {
      await page.goto(server.http + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
      assert.deepEqual(await touched(), { script: '', style: '' }, path);
    }
    const foreign = requested.filter((path) => /customjavascript|^\/plugins\//.test(path));
    assert.deepEqual(foreign, []);
    await pluginAdmin.remove('notes');
    assert.deepEqual(violations, []);
  }));

test('styles inside a plugin’s tab count, as a sheet and as an attribute', () =>
  withPage({}, async (page, context) => {
    const violations = await watchPolicy(context);
    const code = `
from service_plugin import plugin
@plugin.on_tab_content("colours")
def colours(request):
    return '<style>#sheet { color: rgb(1, 2, 3) }</style><p id="sheet">One</p><p style="color: rgb(4, 5, 6)">Two</p>'
`;
    const manifest = { slug: 'colours', permissions: ['ui.modify'], tabs: { colours: { title: 'Colours' } } };
    await pluginAdmin.install('colours', packageOf(manifest, code));
    await page.goto(server.http);
    await page.getByRole('tab', { name: 'Colours' }).click();
    const inside = page.frameLocator('iframe.plugin-frame');
    const colorOf = (text) => inside.getByText(text).evaluate((element) => getComputedStyle(element).color);
    await eventually(async () => (await colorOf('One')) === 'rgb(1, 2, 3)');
    assert.equal(await colorOf('Two'), 'rgb(4, 5, 6)');
    await pluginAdmin.remove('colours');
    assert.deepEqual(violations, []);
  }));

/** Content that wants the whole page, and asks its own plugin for a picture and a word. */
const GREEDY = {
  manifest: {
    slug: 'greedy',
    name: 'Greedy',
    permissions: ['ui.modify', 'http.serve'],
    extraPageContent: { slug: 'all' },
    styles: ['greedy.css'],
  },
  code: `
from service_plugin import plugin

@plugin.on_http_request
def word(request):
    return {"status": 200, "body": "a word of its own"}

@plugin.on_page_content("all")
def everything(request):
    return """
      <div id="cover" style="position: fixed; inset: 0"></div>
      <p id="told">Sign in again:</p>
      <form action="/api/admin/config/name" method="post"><input name="value"><button>Go</button></form>
      <a href="https://elsewhere.example/">more</a>
      <img src="/plugins/greedy/drop.svg" alt="A drop">
      <script>
        for (const attempt of [() => parent.document.title = 'hurt', () => localStorage.length, () => document.cookie]) {
          try { attempt(); document.body.dataset.out = 'yes'; } catch {}
        }
        fetch('/plugins/greedy/word').then((answer) => answer.text()).then((text) => {
          document.getElementById('told').textContent = text;
        });
      </script>"""
`,
  files: {
    'assets/greedy.css': 'body { min-height: 100vh }\n#told { color: rgb(7, 8, 9) }\n',
    'public/drop.svg':
      '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><circle cx="4" cy="4" r="4"/></svg>',
  },
};

test('content of a plugin stands before the operator’s text in a frame without an origin, with its styles', () =>
  withPage({}, async (page, context) => {
    const violations = await watchPolicy(context);
    await pluginAdmin.install('greedy', packageOf(GREEDY.manifest, GREEDY.code, GREEDY.files));
    await page.goto(server.http);
    const frame = page.locator('#custom-page-content > iframe[title="Greedy"]');
    assert.doesNotMatch(await frame.getAttribute('sandbox'), /allow-same-origin|top-navigation/);
    const inside = page.frameLocator('iframe[title="Greedy"]');
    await inside.getByText('a word of its own').waitFor();
    const told = inside.locator('#told');
    assert.equal(await told.evaluate((element) => getComputedStyle(element).color), 'rgb(7, 8, 9)');
    assert.equal(await inside.locator('body').getAttribute('data-out'), null, 'it reaches nothing outside');
    const picture = inside.getByAltText('A drop');
    await eventually(() => picture.evaluate((element) => element.complete && element.naturalWidth > 0));
    assert.notEqual(await page.title(), 'hurt');
    // What lies over everything in the frame lies over nothing of the page.
    assert.equal(await page.locator('#cover, #told').count(), 0);
    await page.locator('#custom-page-content > div').getByRole('heading').first().waitFor();
    await frame.scrollIntoViewIfNeeded();
    const height = () => frame.evaluate((element) => element.getBoundingClientRect().height);
    const wanted = () => inside.locator('html').evaluate((element) => element.getBoundingClientRect().height);
    await eventually(async () => Math.abs((await height()) - (await wanted())) <= 2);
    assert.ok((await height()) < 400, 'rules for a whole page do not let it grow');
    assert.ok(await fitsWidth(page));
    await page.getByRole('tab', { name: 'About' }).focus();
    await page.keyboard.press('Tab');
    assert.ok(await frame.evaluate((element) => document.activeElement === element), 'the keyboard gets into it');
    // What shows nothing takes no room, until it shows something.
    await inside.locator('body').evaluate((body) => body.replaceChildren());
    await eventually(async () => (await height()) <= 1);
    await inside.locator('body').evaluate((body) => body.append('I am back'));
    await eventually(async () => (await height()) > 10);
    await pluginAdmin.remove('greedy');
    assert.deepEqual(violations, []);
  }));

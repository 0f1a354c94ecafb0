// Who looks at the pages of a plugin, in a browser: a tab, a button and a page of its own, with and without a gate.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sessionClient, setUp } from '../lib/admin.mjs';
import { useBrowser, watchPolicy } from '../lib/browser.mjs';
import { eventually } from '../lib/eventually.mjs';
import { startServer } from '../lib/server.mjs';
import { NO_FLOOD_PROTECTION } from '../lib/chat-page.mjs';
import { pluginAdminOf } from './lib/plugin-admin.mjs';
import { packageOf } from './lib/packages.mjs';

/** A banned viewer is out within this. */
const REVOKED_MS = 10_000;
/** Chromium says so of every answer that is an error, also of those a test is about. */
const REFUSED = { allow: [/status of 403/] };

/** Asks for everything by relative addresses and shows what became of it. */
const PARTS = `
  <link rel="stylesheet" href="look.css">
  <p id="styled">styled</p><img src="drop.svg" alt="A drop"><p id="scripted"></p><p id="user"></p><p id="heard"></p>
  <form action="vote" method="post"><button>Vote</button></form>
  <a href="more.html" target="_blank">more</a> <a href="https://elsewhere.invalid/">elsewhere</a>
  <script src="app.js"></script>`;

const SCRIPT = `
const put = (id, text) => { document.getElementById(id).textContent = text; };
const ask = () => fetch('who').then(async (answer) => put('user', answer.status + ' ' + (await answer.text())));
put('scripted', 'scripted');
ask();
setInterval(ask, 500);
const news = new EventSource('_sse/news');
news.onmessage = ({ data }) => put('heard', data);
news.onerror = () => put('heard', 'cut');
`;

const CLICKS = {
  manifest: {
    slug: 'clicks',
    name: 'Clicks',
    permissions: ['ui.modify', 'http.serve', 'http.sse'],
    tabs: { clicks: { title: 'Clicks' } },
    actions: [
      { title: 'Press', url: '/plugins/clicks/page.html' },
      { title: 'Leave', url: '/plugins/clicks/page.html?x=1#y', openExternally: true },
    ],
  },
  code: `
from service_plugin import plugin, service

def name(user):
    return user.display_name if user else "nobody"

@plugin.get("/who")
def who(req):
    return {"status": 200, "body": name(req.user)}

@plugin.get("/id")
def id(req):
    return {"status": 200, "body": req.user.id if req.user else ""}

@plugin.post("/vote")
def vote(req):
    return {"status": 200, "headers": {"Content-Type": "text/html"}, "body": "<p>voted: %s</p>" % name(req.user)}

@plugin.on_sse_connect
def hello(connection):
    service.sse.send("news", "message", "hello " + name(connection.user))

@plugin.on_tab_content("clicks")
def tab(request):
    return """${PARTS}"""
`,
  files: {
    'public/page.html': `<!doctype html><title>Clicks</title>${PARTS}`,
    'public/more.html': '<!doctype html><title>More</title><p>more of it</p>',
    'public/app.js': SCRIPT,
    'public/look.css': '#styled { color: rgb(1, 2, 3) }',
    'public/drop.svg':
      '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><circle cx="4" cy="4" r="4"/></svg>',
  },
};

/** Lets everybody in who presses a button, and out again. */
const GATE = {
  manifest: { slug: 'gate', name: 'Gate', permissions: ['auth.gate', 'http.serve', 'users.register'] },
  code: `
from service_plugin import plugin, service

PAGE = "<!doctype html><title>Gate</title><form method=post><button>Sign in</button></form>"

@plugin.get("/")
def door(req):
    return {"status": 200, "headers": {"Content-Type": "text/html"}, "body": PAGE}

@plugin.post("/")
def enter(req):
    user = service.users.register("marta", display_name="Marta")
    service.auth.grant_session(user.user_id, 3600)
    return {"status": 303, "headers": {"Location": req.query.get("return_to") or "/"}}

@plugin.get("/leave")
def leave(req):
    service.auth.end_session()
    return {"status": 200, "body": "bye"}
`,
};

const withPage = useBrowser();
let server;
let admin;
let pluginAdmin;

before(async () => {
  server = await startServer({ args: NO_FLOOD_PROTECTION });
  const session = await setUp(server, { name: 'Brook Radio' });
  admin = sessionClient(server, session);
  pluginAdmin = pluginAdminOf(server, session);
  await pluginAdmin.install('clicks', packageOf(CLICKS.manifest, CLICKS.code, CLICKS.files));
});
after(() => server?.stop());

/** Waits until everything a page asked for is there, and was asked for by that viewer. */
async function works(inside, user) {
  const text = (id) => inside.locator(id).textContent();
  await eventually(async () => (await text('#scripted')) === 'scripted');
  await eventually(async () => (await text('#user')) === `200 ${user}`);
  await eventually(async () => (await text('#heard')) === `hello ${user}`);
  const color = () => inside.locator('#styled').evaluate((element) => getComputedStyle(element).color);
  await eventually(async () => (await color()) === 'rgb(1, 2, 3)');
  const picture = inside.getByAltText('A drop');
  await eventually(() => picture.evaluate((element) => element.complete && element.naturalWidth > 0));
}

/** What the plugin says of whoever looks at the viewer page, to a program with their token. */
async function asked(page, path) {
  const kept = () => page.evaluate(() => localStorage.getItem('rillcast.chat.token') ?? undefined);
  const token = await eventually(kept);
  const answer = await fetch(`${server.http}/plugins/clicks/${path}?accessToken=${token}`);
  return answer.text();
}

test('a tab, a button and a page know the viewer, and no address bar has the pass', () =>
  withPage({}, async (page, context) => {
    const violations = await watchPolicy(context);
    await page.goto(server.http);
    const name = await asked(page, 'who');
    assert.notEqual(name, 'nobody');

    await page.getByRole('tab', { name: 'Clicks' }).click();
    await works(page.frameLocator('iframe[title="Clicks"]'), name);

    await page.getByRole('button', { name: 'Press' }).click();
    const framed = page.frameLocator('dialog iframe[title="Press"]');
    await works(framed, name);
    await framed.getByRole('button', { name: 'Vote' }).click();
    await framed.getByText(`voted: ${name}`).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Leave' }).click();
    const alone = await opened;
    await works(alone.frameLocator('iframe'), name);
    assert.equal(alone.url(), `${server.http}/plugins/clicks/page.html?x=1#y`);
    assert.equal(await alone.title(), 'Clicks');
    const further = context.waitForEvent('page');
    await alone.frameLocator('iframe').getByRole('link', { name: 'more' }).click();
    const more = await further;
    await more.frameLocator('iframe').getByText('more of it').waitFor();
    assert.equal(more.url(), `${server.http}/plugins/clicks/more.html`);
    const outside = context.waitForEvent('page');
    await alone.frameLocator('iframe').getByRole('link', { name: 'elsewhere' }).click();
    await outside;
    assert.equal(alone.url(), `${server.http}/plugins/clicks/page.html?x=1#y`);
    assert.deepEqual(violations, []);
  }));

test('somebody the chat does not know is nobody, and the page works all the same', () =>
  withPage({}, async (page) => {
    await page.goto(`${server.http}/plugins/clicks/page.html`);
    await works(page.frameLocator('iframe'), 'nobody');
  }));

test('behind a gate everything of a page is there for those who signed in, and a revoked viewer is out', () =>
  withPage(REFUSED, async (page, context) => {
    await pluginAdmin.install('gate', packageOf(GATE.manifest, GATE.code));
    await page.goto(`${server.http}/plugins/clicks/page.html`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const inside = page.frameLocator('iframe');
    await works(inside, 'Marta');
    assert.equal(page.url(), `${server.http}/plugins/clicks/page.html`);

    const viewer = await context.newPage();
    await viewer.goto(server.http);
    await viewer.getByRole('tab', { name: 'Clicks' }).click();
    // Not the guest whom the chat of this page has registered.
    const tab = viewer.frameLocator('iframe[title="Clicks"]');
    await works(tab, 'Marta');

    const out = await context.newPage();
    await out.goto(`${server.http}/plugins/gate/leave`);
    await out.getByText('bye').waitFor();
    for (const frame of [inside, tab]) {
      const text = (id) => frame.locator(id).textContent();
      await eventually(async () => (await text('#user')).startsWith('403'), { deadlineMs: REVOKED_MS });
      await eventually(async () => (await text('#heard')) === 'cut', { deadlineMs: REVOKED_MS });
    }
    await pluginAdmin.remove('gate');
  }));

test('a viewer who is banned is nobody’s viewer within ten seconds', () =>
  withPage(REFUSED, async (page) => {
    await page.goto(server.http);
    const name = await asked(page, 'who');
    await page.getByRole('tab', { name: 'Clicks' }).click();
    const inside = page.frameLocator('iframe[title="Clicks"]');
    await works(inside, name);
    const userId = await asked(page, 'id');
    assert.equal((await admin.post('/api/admin/chat/users/setenabled', { userId, enabled: false })).status, 200);
    const user = () => inside.locator('#user').textContent();
    await eventually(async () => (await user()).startsWith('403'), { deadlineMs: REVOKED_MS });
  }));

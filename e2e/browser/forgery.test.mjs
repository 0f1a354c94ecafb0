// A page of somebody else, on another port of the same name, in a browser that has kept the operator's password. Over plain
// HTTP to a name the browser says nothing of where a request comes from.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { PASSWORD, setUp } from '../lib/admin.mjs';
import { status } from '../lib/broadcast.mjs';
import { UNAUTHORIZED, useBrowser } from '../lib/browser.mjs';
import { join, sayAndHear } from '../lib/chat.mjs';
import { startServer } from '../lib/server.mjs';

const NAME = 'cam.test';
const withPage = useBrowser({ flags: async () => [`--host-resolver-rules=MAP ${NAME} 127.0.0.1`] });
const at = (port, path = '/') => `http://${NAME}:${port}${path}`;

let server;
let foreign;
before(async () => {
  server = await startServer();
  await setUp(server, { name: 'As it was' });
  foreign = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end('<h1>Kittens</h1>'));
  await new Promise((resolve) => foreign.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  foreign?.close();
  await server?.kill();
});

/** What a page may send without being asked first, and chooses itself. */
const LEADS = [
  { path: '/api/admin/update/forcequit' },
  { path: '/api/admin/disconnect' },
  { path: '/api/admin/update/forcequit', method: 'POST' },
  { path: '/api/admin/config/name', method: 'POST', body: '{"value":"Changed"}' },
];

test('a page on another port cannot use the password that a browser has kept', async () => {
  const port = new URL(server.http).port;
  const httpCredentials = { username: 'admin', password: PASSWORD };
  const allow = [UNAUTHORIZED, /status of 40[03]/];
  await withPage({ httpCredentials, allow }, async (page) => {
    const own = await page.goto(at(port, '/api/admin/status'));
    assert.equal(own.status(), 200, 'the browser has the password');
    await page.goto(at(foreign.address().port));
    for (const { path, method = 'GET', body } of LEADS) {
      const url = at(port, path);
      const answered = page.waitForResponse((response) => response.url() === url && response.status() !== 401);
      await page.evaluate(
        ([url, method, body]) =>
          fetch(url, {
            method,
            body,
            mode: 'no-cors',
            credentials: 'include',
            referrerPolicy: 'no-referrer',
            headers: { 'Accept-Language': '*', Accept: '*/*' },
          }),
        [url, method, body],
      );
      const answer = await answered;
      const sent = await answer.request().allHeaders();
      assert.ok([400, 403].includes(answer.status()), `${method} ${path}: ${answer.status()}`);
      assert.equal(sent['sec-fetch-site'], undefined, 'the browser says nothing of it, or this proves less');
    }
  });
  assert.equal((await status(server)).online, false);
  const config = await (await fetch(`${server.http}/api/config`)).json();
  assert.equal(config.name, 'As it was');
  const ada = await join(server, 'Ada');
  await sayAndHear(ada, 'still here');
  await ada.leave();
});

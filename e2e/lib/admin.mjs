// The admin API as the admin pages use it: a session cookie and the CSRF header.

export const PASSWORD = 'correct horse battery';

/** Options for a server that is set up from its start: before that nobody can write in the chat. */
export const SET_UP = ['--admin-password', PASSWORD];

/** Uses up the setup link and returns a signed-in client. */
export async function setUp(server, { password = PASSWORD, name } = {}) {
  const token = new URL(server.setupUrl).hash.slice(1);
  const response = await send(server, 'POST', '/api/admin/setup', { token, password, name });
  if (!response.ok) throw new Error(`setup failed: ${response.status} ${await response.text()}`);
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  return {
    cookie,
    get: async (path) => (await send(server, 'GET', path, undefined, cookie)).json(),
    set: async (setting, value) => {
      const answer = await send(server, 'POST', `/api/admin/config/${setting}`, { value }, cookie);
      if (!answer.ok) throw new Error(`${setting} was refused: ${answer.status} ${await answer.text()}`);
    },
  };
}

function send(server, method, path, body, cookie) {
  const headers = { 'X-Rillcast-CSRF': '1' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (cookie) headers.Cookie = cookie;
  return fetch(server.http + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
}

/** The admin API as scripts use it: HTTP Basic. Answers are `{ status, headers, text, json() }`. */
export function basicClient(server, password = PASSWORD) {
  const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  return clientWith(server, { Authorization: authorization });
}

/** As `basicClient`, on the session of what `setUp` returned, which outlives a restart: no password is verified. */
export function sessionClient(server, { cookie }) {
  return clientWith(server, { Cookie: cookie, 'X-Rillcast-CSRF': '1' });
}

function clientWith(server, credentials) {
  const ask = async (method, path, document) => {
    const response = await fetch(server.http + path, {
      method,
      headers: { ...credentials, 'Content-Type': 'application/json' },
      body: document === undefined ? undefined : JSON.stringify(document),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
  };
  return {
    get: (path) => ask('GET', path),
    post: (path, document) => ask('POST', path, document),
    set: (setting, value) => ask('POST', `/api/admin/config/${setting}`, { value }),
    /** The row of a setting in the table. */
    setting: async (path) =>
      (await ask('GET', '/api/admin/settings')).json().settings.find((setting) => setting.path === path),
  };
}

/**
 * Chooses a page in the menu by its name; groups that are folded are opened. On a phone the menu must be open.
 * By keyboard, which works wherever the entry is.
 */
export async function openFromMenu(page, name) {
  const menu = page.locator('#menu');
  await menu.locator('a').first().waitFor();
  const folded = menu.locator('button[aria-expanded=false]');
  while ((await folded.count()) > 0) await folded.first().press('Enter');
  await menu.getByRole('link', { name, exact: true }).press('Enter');
}

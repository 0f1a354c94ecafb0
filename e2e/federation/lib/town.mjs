// A server in a world with people and other streams around it, for browsers that know the same names.
import { after, before } from 'node:test';
import { PASSWORD } from '../../lib/admin.mjs';
import { UNAUTHORIZED, useBrowser } from '../../lib/browser.mjs';
import { eventually } from '../../lib/eventually.mjs';
import { mastodon } from './habits.mjs';
import { ARRIVAL_MS } from './operator.mjs';
import { peerFor } from './peer.mjs';
import * as say from './sayings.mjs';
import { worldFor } from './world.mjs';

/** Any picture will do. */
export const PICTURE = {
  name: 'river.png',
  mimeType: 'image/png',
  buffer: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
};

/**
 * Call once at the top of a test file. `a.test` is a real server, federation is off; the other hosts stay empty until
 * somebody moves in.
 */
export function useTown(...hosts) {
  const town = {};
  let end;
  const open = async () => {
    // Until the file has ended, not until a test has.
    const file = {
      after: (step) => {
        end = step;
      },
    };
    town.world = await worldFor(file, 'a.test', ...hosts);
    town.server = await town.world.rillcast('a.test', { isNew: false });
    town.inbox = `${town.server.actor}/inbox`;
  };
  // The browser has to know the way before it starts, and one `before` does not wait for another.
  const opened = open();
  before(() => opened);
  after(() => end?.());
  const flags = async () => {
    await opened;
    const rules = Object.entries(town.world.ports()).map(([host, port]) => `MAP ${host} 127.0.0.1:${port}`);
    return [`--host-resolver-rules=${rules.join(',')}`];
  };
  const withPage = useBrowser({ flags });
  // The authority of the test is known to nobody but the test.
  town.withPage = ({ allow = [], ...options }, body) =>
    withPage({ ignoreHTTPSErrors: true, allow: [UNAUTHORIZED, ...allow], ...options }, body);

  /** Signs in at a page of the operator's. */
  town.asOperator = (path, body, options = {}) =>
    town.withPage(options, async (page, context) => {
      await page.goto(`${town.server.http}/admin/${path}`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await body(page, context);
    });

  /** Switches federation on, whatever was before, with these settings. */
  town.takePart = async (settings = {}) => {
    const { operator } = town.server;
    const usual = { 'federation/private': false, 'federation/enable': true };
    for (const [path, value] of Object.entries({ ...usual, ...settings })) await operator.set(path, value);
  };
  /** Somebody of the usual kind moves in at `host`. */
  town.peer = (host, name) => peerFor(town.world, host, mastodon, name);
  /** Waits until the account has its key, then follows it and is heard. */
  town.follow = async (peer) => {
    await eventually(() => peer.lookUp('live@a.test'), { deadlineMs: ARRIVAL_MS });
    return peer.send(say.follow(peer, town.server.actor), { to: town.inbox });
  };
  return town;
}

// A server in a world with people and other streams around it, for browsers that know the same names.
import { after, before } from 'node:test';
import { PASSWORD } from '../../lib/admin.mjs';
import { UNAUTHORIZED, useBrowser } from '../../lib/browser.mjs';
import { eventually } from '../../lib/eventually.mjs';
import { mastodon } from './habits.mjs';
import { ARRIVAL_MS } from './operator.mjs';
import { peerFor } from './peer.mjs';
import * as activities from './activities.mjs';
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
export function useTestbed(...hosts) {
  const testbed = {};
  let end;
  const open = async () => {
    // Until the file has ended, not until a test has.
    const file = {
      after: (step) => {
        end = step;
      },
    };
    testbed.world = await worldFor(file, 'a.test', ...hosts);
    testbed.server = await testbed.world.rillcast('a.test', { isNew: false });
    testbed.inbox = `${testbed.server.actor}/inbox`;
  };
  // The browser has to know the way before it starts, and one `before` does not wait for another.
  const opened = open();
  before(() => opened);
  after(() => end?.());
  const flags = async () => {
    await opened;
    const rules = Object.entries(testbed.world.ports()).map(([host, port]) => `MAP ${host} 127.0.0.1:${port}`);
    return [`--host-resolver-rules=${rules.join(',')}`];
  };
  const withPage = useBrowser({ flags });
  // The authority of the test is known to nobody but the test.
  testbed.withPage = ({ allow = [], ...options }, body) =>
    withPage({ ignoreHTTPSErrors: true, allow: [UNAUTHORIZED, ...allow], ...options }, body);

  /** Signs in at a page of the operator's. */
  testbed.asOperator = (path, body, options = {}) =>
    testbed.withPage(options, async (page, context) => {
      await page.goto(`${testbed.server.http}/admin/${path}`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await body(page, context);
    });

  /** Switches federation on, whatever was before, with these settings. */
  testbed.takePart = async (settings = {}) => {
    const { operator } = testbed.server;
    const usual = { 'federation/private': false, 'federation/enable': true };
    for (const [path, value] of Object.entries({ ...usual, ...settings })) await operator.set(path, value);
  };
  /** Somebody of the usual kind moves in at `host`. */
  testbed.peer = (host, name) => peerFor(testbed.world, host, mastodon, name);
  /** Waits until the account has its key, then follows it and is heard. */
  testbed.follow = async (peer) => {
    await eventually(() => peer.lookUp('live@a.test'), { deadlineMs: ARRIVAL_MS });
    return peer.send(activities.follow(peer, testbed.server.actor), { to: testbed.inbox });
  };
  return testbed;
}

// Who may not write, or not now, and what the page says to them.
import { idOf, myName } from '../../lib/chat-page.mjs';
import { FIELD, openChat, openFullChat } from './chat.mjs';

const page = 'chat: refusals';

const say = async ({ page }, text) => {
  await page.locator(FIELD).fill(text);
  await page.locator(FIELD).press('Enter');
};

/** Something of the operator against the person in front of the page. */
const sanction = async ({ page, world }, path, document) => {
  const userId = await idOf(world.api, await myName(page));
  const answer = await world.api.post(`/api/admin/chat/users/${path}`, { userId, ...document });
  if (answer.status >= 400) throw new Error(`${path}: ${answer.status} ${answer.text}`);
};

/** Notices stand among the lines. */
const untilNotice = ({ page }) => page.locator('.chat-messages [data-notice], .chat-message_action').last().waitFor();

export const chatRefusals = [
  {
    page,
    name: 'slow mode',
    world: 'slow',
    go: async (scene) => {
      await openChat(scene);
      await say(scene, 'the first of two');
      await scene.page.locator('.chat-message_user', { hasText: 'the first of two' }).last().waitFor();
      await scene.page.locator('.chat-slow').waitFor();
    },
  },
  {
    page,
    name: 'the first line is held',
    world: 'holding',
    go: async (scene) => {
      await openChat(scene);
      await say(scene, 'hello, I am new');
      await untilNotice(scene);
    },
  },
  {
    page,
    name: 'only people who are known may write',
    world: 'paused',
    go: async (scene) => {
      await openChat(scene);
      await say(scene, 'hello, I am new');
      await untilNotice(scene);
    },
  },
  {
    page,
    name: 'only people who are signed in may write',
    world: 'signedIn',
    go: async ({ page, address }) => {
      await page.goto(address);
      await page.locator('.chat-closed').waitFor();
    },
  },
  {
    page,
    name: 'no chat here',
    world: 'chatless',
    go: async ({ page, address }) => {
      await page.goto(address);
      await page.locator('#main').waitFor();
    },
  },
  {
    page,
    name: 'timed out',
    world: 'offline',
    go: async (scene) => {
      await openFullChat(scene);
      await sanction(scene, 'timeout', { seconds: 600, reason: 'too many exclamation marks' });
      await scene.page.locator('.chat-slow').waitFor();
    },
  },
  {
    page,
    name: 'banned',
    world: 'offline',
    allow: [/status of 401/],
    go: async (scene) => {
      await openFullChat(scene);
      await sanction(scene, 'setenabled', { enabled: false, reason: 'still too many exclamation marks' });
      await scene.page.locator('#chat-container[data-state=disabled]').waitFor();
    },
  },
  {
    page,
    name: 'the connection is lost',
    world: 'offline',
    allow: [/ERR_INTERNET_DISCONNECTED/, /WebSocket/, /Failed to load resource/],
    go: async (scene) => {
      // A socket that is open stays so without a network.
      const sockets = [];
      await scene.page.routeWebSocket(/\/ws/, (socket) => {
        sockets.push(socket);
        socket.connectToServer();
      });
      await openFullChat(scene, '/embed/chat/readwrite');
      await scene.context.setOffline(true);
      await Promise.all(sockets.map((socket) => socket.close()));
      await scene.page.locator('#chat-container:not([data-state=open])').waitFor();
    },
  },
];

// What everybody sees: nothing is on, something is, and what can be opened around the picture.
import { untilMoving } from '../../lib/player-page.mjs';

const page = 'viewer';
/** Where nothing is on, players find no stream. */
const NO_STREAM = [/status of 404/, /status of 503/];

const open = async ({ page, address }, path = '/') => {
  await page.goto(address + path);
  await page.locator('#main').waitFor();
  // The chat says that it connects, for a moment.
  await page.locator('#chat-container[data-state=connecting]').waitFor({ state: 'detached' });
};

const openLive = async (scene) => {
  await open(scene);
  await untilMoving(scene.page, { seconds: 0.1 });
};

/** A finger has nothing to hover with. */
const showControls = async ({ page, variant }) => {
  const player = page.locator('#player');
  await (variant.options.hasTouch ? player.tap({ position: { x: 40, y: 60 } }) : player.hover());
};

const openAbout = async (scene) => {
  await open(scene);
  if (scene.isStacked()) await scene.page.getByRole('tab').nth(1).click();
  await scene.page.locator('#custom-page-content').waitFor();
};

const openDialog = async (scene, button) => {
  await open(scene);
  await scene.page.locator(button).first().click();
  await scene.page.locator('dialog[open]').waitFor();
};

export const viewer = [
  { page, name: 'offline, nothing filled in', world: 'empty', isMain: true, go: (scene) => open(scene) },
  { page, name: 'offline, with a picture', world: 'offline', isMain: true, go: (scene) => open(scene) },
  { page, name: 'about', world: 'offline', isWhole: true, go: openAbout },
  { page, name: 'waiting for the publisher', world: 'waiting', allow: NO_STREAM, go: (scene) => open(scene) },
  { page, name: 'live', world: 'live', isMain: true, go: openLive },
  {
    page,
    name: 'live, controls',
    world: 'live',
    go: async (scene) => {
      await openLive(scene);
      await showControls(scene);
    },
  },
  {
    page,
    name: 'live, settings of the player',
    world: 'live',
    go: async (scene) => {
      await openLive(scene);
      await showControls(scene);
      await scene.page.locator('#player button[aria-controls]').first().press('Enter');
      await scene.page.locator('.player-menu').waitFor();
    },
  },
  {
    page,
    name: 'live, keys',
    world: 'live',
    go: async (scene) => {
      await openLive(scene);
      await scene.page.keyboard.press('?');
      await scene.page.locator('.player-help').waitFor();
    },
  },
  {
    page,
    name: 'live, gone back',
    world: 'rewinding',
    isMain: true,
    go: async (scene) => {
      await openLive(scene);
      await showControls(scene);
      const bar = scene.page.locator('.rewind-bar input');
      await bar.waitFor({ state: 'attached' });
      await bar.press('Home');
      await scene.page.locator('.rewind-behind').waitFor({ state: 'attached' });
      await untilMoving(scene.page, { seconds: 0.1 });
      await showControls(scene);
    },
  },
  {
    page,
    name: 'live, told that one can go back',
    world: 'rewinding',
    go: async (scene) => {
      await openLive(scene);
      // Whether there is something to tell depends on how long the stream has been on; how it looks does not.
      const since = new Date(Date.now() - 3 * 3600 * 1000).toISOString();
      await scene.page.route('**/api/status', async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: { ...(await answer.json()), lastConnectTime: since } });
      });
      await scene.page.locator('.rewind-hint').waitFor();
    },
  },
  {
    page,
    name: 'live, theatre',
    world: 'live',
    only: ['desktop', 'tablet'],
    go: async (scene) => {
      await openLive(scene);
      await scene.page.keyboard.press('t');
      await scene.page.locator('.viewer[data-theatre=on]').waitFor();
    },
  },
  { page, name: 'share', world: 'offline', go: (scene) => openDialog(scene, '#share-button') },
  { page, name: 'follow', world: 'offline', go: (scene) => openDialog(scene, '#offline-follow-button') },
  {
    page,
    name: 'action of the operator',
    world: 'offline',
    go: (scene) => openDialog(scene, '.action-buttons button.action-button:not(#share-button, #follow-button)'),
  },
  {
    page,
    name: 'followers',
    world: 'offline',
    isWhole: true,
    go: async (scene) => {
      await scene.page.route('**/api/followers?*', (route) => route.fulfill({ json: FOLLOWERS }));
      await open(scene);
      await scene.page
        .getByRole('tab')
        .nth(scene.isStacked() ? 2 : 1)
        .click();
      await scene.page.locator('[role=tabpanel] a').first().waitFor();
    },
  },
  {
    page,
    name: 'the connection is lost',
    world: 'offline',
    allow: [/ERR_INTERNET_DISCONNECTED/, /WebSocket/],
    go: async (scene) => {
      await open(scene);
      await scene.context.setOffline(true);
      await scene.page.locator('.connection-note span').waitFor({ timeout: 60_000 });
    },
  },
];

const FOLLOWERS = {
  total: 3,
  results: ['Ilse Bach', 'مريم', 'someone-with-a-very-long-name-that-goes-on-and-on'].map((name, at) => ({
    link: `https://social.example/@person${at}`,
    name,
    username: `person${at}@social.example`,
    image: null,
    timestamp: '2026-01-02T03:04:05Z',
  })),
};

// Every page of the operator's menu, with nothing on it and with everything; and the parts of those with tabs.
import { openAdmin, openFilled } from './admin.mjs';

/** Pages about what is on right now. */
const LIVE = ['', 'viewer-info', 'hardware-info', 'stream-health'];
/** What operators look at most. */
const MAIN = ['', 'config/general', 'chat/messages', 'config/video'];
/** Pages with tabs, and how many there are beside the first. */
const TABS = { 'chat/users': 3, 'federation/followers': 3, 'federation/inbox': 3 };

/** Pages that only mean something where that is the case. */
const WORLDS = { recordings: 'recorded', ...Object.fromEntries(LIVE.map((route) => [route, 'live'])) };

const titleOf = (route) => `admin: ${route || 'home'}`;

const statesOf = (route) => [
  { page: titleOf(route), name: 'empty', world: 'empty', isWhole: true, go: (scene) => openAdmin(scene, route) },
  {
    page: titleOf(route),
    name: 'filled',
    world: WORLDS[route] ?? 'offline',
    isMain: MAIN.includes(route),
    isWhole: true,
    go: (scene) => openFilled(scene, route),
  },
];

const tabsOf = ([route, count]) =>
  Array.from({ length: count }, (_, at) => ({
    page: titleOf(route),
    name: `tab ${at + 2}`,
    world: 'offline',
    isWhole: true,
    go: async (scene) => {
      await openFilled(scene, route);
      await scene.page
        .locator('main [role=tab]')
        .nth(at + 1)
        .click();
      await scene.page.locator('main .skeleton').first().waitFor({ state: 'detached' });
    },
  }));

export const adminPages = (routes) => [
  ...routes.flatMap(statesOf),
  ...Object.entries(TABS).flatMap(tabsOf),
  {
    page: titleOf('federation/deliveries'),
    name: 'given up',
    world: 'offline',
    isWhole: true,
    go: async (scene) => {
      await openFilled(scene, 'federation/deliveries');
      await scene.page.locator('main .segments button[aria-pressed=false]').first().click();
      await scene.page.locator('main .skeleton').first().waitFor({ state: 'detached' });
    },
  },
  {
    page: titleOf('streams'),
    name: 'one of them',
    world: 'offline',
    isWhole: true,
    go: async (scene) => {
      await openAdmin(scene, 'streams');
      await scene.page.locator('main a[href*="/admin/streams/"]').first().click();
      await scene.page.waitForURL(/\/admin\/streams\/[^/]+$/);
      await scene.page.locator('main .skeleton').first().waitFor({ state: 'detached' });
    },
  },
  {
    page: titleOf('plugins'),
    name: 'one of them',
    world: 'offline',
    isWhole: true,
    go: (scene) => openAdmin(scene, 'plugins/song-wishes'),
  },
  {
    page: titleOf('config-notify'),
    name: 'not yet there',
    world: 'empty',
    go: (scene) => openAdmin(scene, 'config-notify'),
  },
  { page: 'admin: other', name: 'not found', world: 'empty', go: (scene) => openAdmin(scene, 'no-such-page') },
];

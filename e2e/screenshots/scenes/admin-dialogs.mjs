// What opens on the operator's pages, and what they say when something is wrong.
import { openAdmin, openFilled } from './admin.mjs';

/** A state that is reached by pressing something on a page until a dialog is there. */
const dialog = (page, name, route, press, { world = 'offline', ...more } = {}) => ({
  page: `admin: ${page}`,
  name,
  world,
  ...more,
  go: async (scene) => {
    await openFilled(scene, route);
    const target = typeof press === 'string' ? scene.page.locator(press).first() : press(scene.page);
    await target.click();
    await scene.page.locator('dialog[open]').waitFor();
  },
});

const CREATE = 'main .card-head button[data-look=primary]';

export const adminDialogs = [
  dialog('home', 'end the stream', '', '.live-card button[data-look=danger]', { world: 'live' }),
  dialog('chat/messages', 'a person', 'chat/messages', 'main .chat-name-button'),
  dialog('access-tokens', 'create', 'access-tokens', CREATE),
  dialog('access-tokens', 'revoke', 'access-tokens', 'main [data-tool=trash]'),
  dialog('webhooks', 'create', 'webhooks', CREATE),
  dialog('external-actions', 'create', 'external-actions', CREATE),
  dialog('external-actions', 'change', 'external-actions', 'main [data-tool=pencil]'),
  dialog('external-actions', 'remove', 'external-actions', 'main [data-tool=trash]'),
  dialog('config/video', 'a quality', 'config/video', '.quality-row [data-tool=pencil]'),
  dialog('config/video', 'remove a quality', 'config/video', '.quality-row [data-tool=trash]'),
  dialog('recordings', 'edit', 'recordings', 'main [data-tool=pencil]', { world: 'recorded' }),
  dialog('recordings', 'delete', 'recordings', 'main [data-tool=trash]', { world: 'recorded' }),
  dialog('recordings', 'chapters', 'recordings', 'main [data-tool=list]', { world: 'recorded' }),
  {
    page: 'admin: recordings',
    name: 'nothing found',
    world: 'recorded',
    go: async (scene) => {
      await openAdmin(scene, 'recordings');
      await scene.page.locator('main input[type=search]').fill('qqqq');
      await scene.page.locator('main .empty-state').first().waitFor();
    },
  },
  {
    page: 'admin: config/recording',
    name: 'rewinding is offered',
    world: 'recorded',
    isWhole: true,
    go: async (scene) => {
      await openAdmin(scene, 'config/recording');
      await scene.page.locator('main .banner button').waitFor();
    },
  },
  {
    page: 'admin: search',
    name: 'something found',
    world: 'offline',
    isMain: true,
    go: async (scene) => {
      await openAdmin(scene, '');
      await scene.page.keyboard.press('Control+k');
      await scene.page.locator('.palette input').fill('ch');
      await scene.page.locator('.palette-option').first().waitFor();
    },
  },
  {
    page: 'admin: search',
    name: 'nothing found',
    world: 'empty',
    go: async (scene) => {
      await openAdmin(scene, '');
      await scene.page.keyboard.press('Control+k');
      await scene.page.locator('.palette input').fill('qqqq');
      await scene.page.locator('.palette p').waitFor();
    },
  },
  {
    page: 'admin: menu',
    name: 'open',
    world: 'empty',
    only: ['phone', 'tablet'],
    go: async (scene) => {
      await openAdmin(scene, '');
      const button = scene.page.locator('.menu-button');
      if (await button.isVisible()) await button.click();
      await scene.page.locator('#menu a').first().waitFor();
    },
  },
  {
    page: 'admin: config/server',
    name: 'a value is refused',
    world: 'empty',
    allow: [/status of 400/],
    isWhole: true,
    go: async (scene) => {
      await openAdmin(scene, 'config/server');
      const setting = scene.page.locator('.setting[data-key=serverurl]');
      await setting.locator('input').fill('gopher://nowhere');
      await scene.page.keyboard.press('Enter');
      await setting.locator('.field-error:not(:empty)').waitFor();
    },
  },
  {
    page: 'admin: webhooks',
    name: 'could not be loaded',
    world: 'empty',
    allow: [/status of 500/],
    go: async (scene) => {
      await scene.page.route('**/api/admin/webhooks', (route) => route.fulfill({ status: 500, body: '' }));
      await scene.context.addCookies(scene.world.cookies);
      await scene.page.goto(`${scene.address}/admin/webhooks`);
      await scene.page.locator('main .banner[data-tone=error]').first().waitFor();
    },
  },
];

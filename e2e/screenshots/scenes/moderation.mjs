// The chat of moderators.
import { idOf, myName } from '../../lib/chat-page.mjs';
import { choose, openChat, openFullChat, openUserMenu, pointAt } from './chat.mjs';

const page = 'moderation';

/** Opens the chat, and the operator makes the person in front of it a moderator. */
const moderate = async (scene) => {
  await openFullChat(scene);
  const userId = await idOf(scene.world.api, await myName(scene.page));
  await scene.world.api.post('/api/admin/chat/users/setmoderator', { userId, isModerator: true });
  await scene.page.locator('.chat-held').waitFor();
};

const openLineMenu = async (scene) => {
  await moderate(scene);
  const line = await pointAt(scene, 'a longer thought');
  await line.locator('.chat-tools [aria-haspopup=menu]').click();
  await scene.page.getByRole('menu').waitFor();
};

/** Where the menu of a line has what is done to a person: the ban is marked, a timeout before it, more about them last. */
const chooseNear = async ({ page }, at) => {
  const items = page.getByRole('menuitem');
  const tones = await items.evaluateAll((all) => all.map(({ dataset }) => dataset.tone));
  await choose({ page }, at(tones.lastIndexOf('danger'), tones.length));
};

const ofPerson = (name, at) => ({
  page,
  name,
  world: 'offline',
  go: async (scene) => {
    await openLineMenu(scene);
    await chooseNear(scene, at);
  },
});

/** By the id of a tab: their order may change. */
const panel = (name, tab, part = 'li') => ({
  page,
  name: `panel: ${name}`,
  world: 'offline',
  isMain: tab === 'held',
  go: async (scene) => {
    await moderate(scene);
    await openUserMenu(scene);
    // After the name and the sign-in.
    await choose(scene, 2);
    await scene.page.locator(`.moderation-panel [role=tab][id$="-tab-${tab}"]`).click();
    await scene.page.locator(`.moderation-panel ${part}`).first().waitFor();
  },
});

export const moderation = [
  { page, name: 'menu of a line', world: 'offline', go: openLineMenu },
  ofPerson('time out', (ban) => ban - 1),
  ofPerson('ban', (ban) => ban),
  ofPerson('more about a person', (_ban, count) => count - 1),
  panel('held', 'held'),
  panel('brakes', 'brakes', '.moderation-switch'),
  panel('people', 'sanctioned'),
  panel('log', 'log'),
  {
    page,
    name: 'held lines',
    world: 'offline',
    go: async (scene) => {
      await moderate(scene);
      await scene.page.locator('.chat-held').click();
      await scene.page.locator('dialog[open]').waitFor();
    },
  },
  {
    page,
    name: 'invitation',
    world: 'offline',
    go: async (scene) => {
      const { token } = (await scene.world.api.post('/api/admin/chat/invitations/create', {})).json();
      await openChat(scene, { path: `/#moderator=${token}` });
      await scene.page.locator('dialog[open]').waitFor();
    },
  },
];

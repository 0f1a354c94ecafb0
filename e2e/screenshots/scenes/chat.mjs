// The chat of people who may write.
import { untilChat } from '../../lib/chat-page.mjs';

const page = 'chat';
export const FIELD = '#chat-container textarea';

export const openChat = async ({ page, address }, { path = '/', state = 'open' } = {}) => {
  await page.goto(address + path);
  await untilChat(page, state);
};

/** The chat with what was said, where the newest line is in sight. */
export const openFullChat = async (scene, path) => {
  await openChat(scene, { path });
  await scene.page.locator('.chat-message_user', { hasText: 'a longer thought' }).last().waitFor();
};

export const openUserMenu = async ({ page }) => {
  await page.locator('.user-menu').first().click();
  await page.getByRole('menu').waitFor();
};

/** Presses the entry of the open menu at this place. A menu may be drawn anew while a pointer is on its way. */
export const choose = async ({ page }, at) => {
  await page.getByRole('menuitem').nth(at).dispatchEvent('click');
  await page.locator('dialog[open]').waitFor();
};

const write = async ({ page }, text) => {
  await page.locator(FIELD).fill(text);
  await page.locator(FIELD).press('End');
};

/** Lines have their buttons while they are pointed at. */
export const pointAt = async ({ page, variant }, text) => {
  const line = page.locator('.chat-message_user', { hasText: text }).last();
  await (variant.options.hasTouch ? line.tap() : line.hover());
  await line.locator('.chat-tools').waitFor();
  return line;
};

const after = (step) => async (scene) => {
  await openFullChat(scene);
  await step(scene);
};

export const chat = [
  { page, name: 'nobody has said anything', world: 'paused', go: (scene) => openChat(scene) },
  { page, name: 'many lines', world: 'offline', isMain: true, go: (scene) => openFullChat(scene) },
  {
    page,
    name: 'a word of welcome',
    // It comes while something is on.
    world: 'live',
    isNewcomer: true,
    go: after(({ page }) => page.locator('.chat-message_system').first().waitFor({ timeout: 30_000 })),
  },
  {
    page,
    name: 'hidden',
    world: 'offline',
    only: ['desktop', 'tablet'],
    go: after(async ({ page }) => {
      await page.locator('.chat-header > .icon-button').last().click();
      await page.locator('.chat-open').waitFor();
    }),
  },
  { page, name: 'own menu', world: 'offline', go: after(openUserMenu) },
  {
    page,
    name: 'change of name',
    world: 'offline',
    go: after(async (scene) => {
      await openUserMenu(scene);
      await choose(scene, 0);
    }),
  },
  {
    page,
    name: 'sign in',
    world: 'offline',
    go: after(async (scene) => {
      await openUserMenu(scene);
      await choose(scene, 1);
    }),
  },
  {
    page,
    name: 'emoji',
    world: 'offline',
    isMain: true,
    go: after(async ({ page }) => {
      await page.locator('.chat-input button[aria-expanded]').click();
      await page.locator('.chat-picker-grid button').first().waitFor();
    }),
  },
  {
    page,
    name: 'completion',
    world: 'offline',
    go: after(async (scene) => {
      await write(scene, 'hello :ot');
      await scene.page.locator('.chat-completion').waitFor();
    }),
  },
  {
    page,
    name: 'a line that is too long',
    world: 'offline',
    go: after(async (scene) => {
      await write(scene, 'a long line about the river '.repeat(40));
      await scene.page.locator('.chat-counter').waitFor();
    }),
  },
  {
    page,
    name: 'an answer',
    world: 'offline',
    go: after(async (scene) => {
      const line = await pointAt(scene, 'a longer thought');
      await line.locator('.chat-tools button').first().click();
      await scene.page.locator('.chat-replying').waitFor();
    }),
  },
];

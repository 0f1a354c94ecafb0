// A person in front of the chat in a page.
import { basicClient } from './admin.mjs';
import { eventually } from './eventually.mjs';

/** For servers where people in a hurry are no problem; the pace has tests of its own. */
export const NO_FLOOD_PROTECTION = ['--set', 'chat_spam_protection=false'];

/** A page that found nobody a few times waits up to half a minute before it tries again. */
const OPEN_DEADLINE_MS = 45_000;

/** Opens a page and waits until its chat is there; `state` is `open`, or `fallback` where sockets are broken. */
export async function openChat(page, address, { path = '/', state = 'open' } = {}) {
  await page.goto(address + path);
  await untilChat(page, state);
}

export async function untilChat(page, state) {
  await page.locator(`#chat-container[data-state=${state}]`).waitFor({ timeout: OPEN_DEADLINE_MS });
}

export const field = (page) => page.getByRole('textbox', { name: 'Send a message' });

/** Lines of people, or those that hold a text. */
export const lines = (page, text) => page.locator('#chat-container .chat-message_user', text && { hasText: text });

/** Those that only moderators still see. */
export const hiddenLines = (page, text) =>
  page.locator('#chat-container .chat-message_user.is-hidden', text && { hasText: text });

/** Writes a line as a person does, and waits until the server has sent it back; `shown` is what is left of its marks. */
export async function write(page, text, shown = text) {
  await field(page).fill(text);
  await field(page).press('Enter');
  await lines(page, shown).last().waitFor();
}

/** What the lines say, oldest first. */
export const bodies = (page) => lines(page).locator('.chat-body').allInnerTexts();

/** Waits until the page shows exactly these lines. */
export function untilBodies(page, wanted) {
  return eventually(async () => {
    const shown = await bodies(page);
    if (JSON.stringify(shown) !== JSON.stringify(wanted)) throw new Error(`it shows ${JSON.stringify(shown)}`);
    return true;
  });
}

/** What one is called, as the page says. */
export function myName(page) {
  // The chat is open a moment before the page shows who one is.
  return eventually(async () => (await page.locator('.user-menu-name').first().innerText()) || undefined);
}

/** The id of somebody who is connected, as the operator (a `basicClient`) sees it. */
export async function idOf(admin, name) {
  const clients = (await admin.get('/api/admin/chat/clients')).json();
  const found = clients.find(({ user }) => user.displayName === name);
  if (!found) throw new Error(`${name} is not there: ${clients.map(({ user }) => user.displayName).join(', ')}`);
  return found.user.id;
}

/**
 * Points at a line, so that its buttons appear, and presses one of them. When the list moves under the pointer the
 * buttons go with their line; a person points at it again.
 */
export async function pressOnLine(page, text, name) {
  const press = async () => {
    await page.mouse.move(0, 0);
    const line = lines(page, text).last();
    await line.hover({ timeout: 3000 });
    await line.getByRole('button', { name }).click({ timeout: 2000 });
    return true;
  };
  await eventually(press, { deadlineMs: 30_000 });
}

/** Opens what moderators have for a line. A menu goes with its line when the list is drawn anew; it is opened again. */
export async function openModeration(page, text) {
  const menu = page.getByRole('menu');
  const open = async () => {
    if (!(await menu.isVisible())) await pressOnLine(page, text, /^Moderate/);
    await menu.waitFor({ timeout: 2000 });
    return true;
  };
  await eventually(open, { deadlineMs: 30_000 });
  return menu;
}

/** A page of a moderator, made one by the operator while it is open. */
export async function openAsModerator(page, server) {
  const admin = basicClient(server);
  await openChat(page, server.http);
  const userId = await idOf(admin, await myName(page));
  const answer = await admin.post('/api/admin/chat/users/setmoderator', { userId, isModerator: true });
  if (answer.status !== 200) throw new Error(`nobody was made a moderator: ${answer.text}`);
}

/** Opens the panel of moderators at one of its tabs. */
export async function openPanel(page, tab) {
  await page.locator('.user-menu').first().click();
  await page.getByRole('menuitem', { name: 'Moderation' }).click();
  const panel = page.getByRole('dialog');
  await panel.getByRole('tab', { name: tab }).click();
  return panel;
}

// What other sites put into a frame, and the chat in a window of its own.
import { untilMoving } from '../../lib/player-page.mjs';
import { openFullChat } from './chat.mjs';

const page = 'embed';
const FRAME = { viewport: { width: 640, height: 360 } };
const COLUMN = { viewport: { width: 380, height: 560 } };

const open = async ({ page, address }, path) => {
  await page.goto(address + path);
  await page.locator('main').waitFor();
};

export const frames = [
  {
    page,
    name: 'video, live',
    world: 'live',
    options: FRAME,
    go: async (scene) => {
      await open(scene, '/embed/video');
      await untilMoving(scene.page, { seconds: 0.1 });
      await scene.page.mouse.move(200, 200);
    },
  },
  { page, name: 'video, offline', world: 'offline', options: FRAME, go: (scene) => open(scene, '/embed/video') },
  {
    page,
    name: 'chat to read',
    world: 'offline',
    options: COLUMN,
    go: (scene) => openFullChat(scene, '/embed/chat/readonly'),
  },
  {
    page,
    name: 'chat to write',
    world: 'offline',
    options: COLUMN,
    go: (scene) => openFullChat(scene, '/embed/chat/readwrite'),
  },
];

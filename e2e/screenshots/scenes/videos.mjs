// Streams of the past: their list, one of them with its chat, its frame, and where there are none.

const page = 'videos';
const FRAME = { viewport: { width: 640, height: 360 } };
/** What is not there is said so by the server too. */
const NOT_FOUND = [/status of 404/];

const open = async ({ page, address }, path) => {
  await page.goto(address + path);
  await page.locator('main').first().waitFor();
};

const openList = async (scene, query = '') => {
  await open(scene, `/videos${query}`);
  // Places of what is on its way.
  await scene.page.locator('.video-card-place').first().waitFor({ state: 'detached' });
};

/** Somewhere in its middle, and standing still, so that every picture of it is the same. */
const openOne = async (scene, path = `/videos/${scene.world.recording}`) => {
  await open(scene, `${path}?t=6`);
  await scene.page.locator('#player video').waitFor();
  await scene.page.waitForFunction(() => document.querySelector('#player video')?.readyState >= 2);
  await scene.page.evaluate(() => document.querySelector('#player video').pause());
};

export const videos = [
  { page, name: 'empty', world: 'empty', go: (scene) => openList(scene) },
  { page, name: 'list', world: 'recorded', isMain: true, isWhole: true, go: (scene) => openList(scene) },
  { page, name: 'nothing found', world: 'recorded', go: (scene) => openList(scene, '?q=qqqq') },
  { page, name: 'one of them', world: 'recorded', isMain: true, isWhole: true, go: (scene) => openOne(scene) },
  {
    page,
    name: 'one of them, shared',
    world: 'recorded',
    go: async (scene) => {
      await openOne(scene);
      await scene.page.locator('#share-button').click();
      await scene.page.locator('dialog[open]').waitFor();
    },
  },
  {
    page,
    name: 'not there',
    world: 'recorded',
    allow: NOT_FOUND,
    go: async (scene) => {
      await open(scene, '/videos/0123456789abcdef');
      await scene.page.locator('main a[href="/videos"]').first().waitFor();
    },
  },
  {
    page,
    name: 'in a frame',
    world: 'recorded',
    options: FRAME,
    go: (scene) => openOne(scene, `/embed/video/${scene.world.recording}`),
  },
  {
    page: 'viewer',
    name: 'offline, with recordings',
    world: 'recorded',
    isMain: true,
    isWhole: true,
    go: async (scene) => {
      await open(scene, '/');
      await scene.page.locator('.videos-latest .video-card').first().waitFor();
    },
  },
];

// The way from the first start to the first stream, and the door of the operator's pages.
const UNAUTHORIZED = [/status of 401/];

const asOperator = async ({ context, world }) => context.addCookies(world.cookies);

const step = (page, name, world, path, { until, ...more } = {}) => ({
  page,
  name,
  world,
  isWhole: true,
  ...more,
  go: async (scene) => {
    await asOperator(scene);
    await scene.page.goto(scene.address + path);
    await scene.page.locator('h1').waitFor();
    await until?.(scene);
  },
});

const FIRST = 'first run';
const DOOR = 'sign in';

/** `setup` is used up by none of them: nothing is sent. */
const setupForm = async ({ page, world }) => {
  await page.goto(world.server.setupUrl);
  await page.locator('input[type=password]').first().waitFor();
};

const signInForm = async ({ page, address }) => {
  await page.goto(`${address}/admin/`);
  await page.locator('input[type=password]').waitFor();
};

/** What the server says to a wrong password; it closes the door for a while to who tries often, so it is not asked. */
const refuse = (page, status, json, headers) =>
  page.route('**/api/admin/session', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status, json, headers }) : route.continue(),
  );

export const firstRun = [
  {
    page: FIRST,
    name: 'without the link',
    world: 'fresh',
    allow: UNAUTHORIZED,
    go: async ({ page, address }) => {
      await page.goto(`${address}/admin/`);
      await page.locator('h1').waitFor();
    },
  },
  { page: FIRST, name: 'account', world: 'fresh', isMain: true, isWhole: true, allow: UNAUTHORIZED, go: setupForm },
  {
    page: FIRST,
    name: 'account, password too short',
    world: 'fresh',
    isWhole: true,
    allow: UNAUTHORIZED,
    go: async (scene) => {
      await setupForm(scene);
      for (const field of await scene.page.locator('input[type=password]').all()) await field.fill('river');
      await scene.page.locator('button[type=submit]').click();
      await scene.page.locator('.field-error:not(:empty)').first().waitFor();
    },
  },
  {
    page: FIRST,
    name: 'a link that is not valid',
    world: 'fresh',
    allow: UNAUTHORIZED,
    go: async ({ page, world }) => {
      const address = new URL(world.server.setupUrl);
      address.hash = 'not-the-one';
      await page.goto(address.href);
      await page.locator('.banner').first().waitFor();
    },
  },
  step(FIRST, 'address', 'empty', '/admin/setup/address', {
    isMain: true,
    until: ({ page }) => page.locator('.setup-check[data-check=socket][data-verdict=good]').waitFor(),
  }),
  step(FIRST, 'first stream, waiting', 'empty', '/admin/setup/stream', { isMain: true }),
  step(FIRST, 'first stream, arrived', 'live', '/admin/setup/stream', {
    until: ({ page }) => page.locator('.setup-arrival .facts').waitFor(),
  }),
  { page: DOOR, name: 'password', world: 'empty', isMain: true, allow: UNAUTHORIZED, go: signInForm },
  {
    page: DOOR,
    name: 'wrong password',
    world: 'empty',
    allow: UNAUTHORIZED,
    go: async (scene) => {
      await refuse(scene.page, 401, {});
      await signInForm(scene);
      await scene.page.locator('input[type=password]').fill('not the password');
      await scene.page.keyboard.press('Enter');
      await scene.page.locator('.field-error:not(:empty)').waitFor();
    },
  },
  {
    page: DOOR,
    name: 'too many wrong passwords',
    world: 'empty',
    allow: [...UNAUTHORIZED, /status of 429/],
    go: async (scene) => {
      await refuse(scene.page, 429, {}, { 'Retry-After': '60' });
      await signInForm(scene);
      await scene.page.locator('input[type=password]').fill('not the password');
      await scene.page.keyboard.press('Enter');
      await scene.page.locator('.field-error:not(:empty)').waitFor();
    },
  },
];

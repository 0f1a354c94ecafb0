// Pages the server writes by itself: for addresses that lead nowhere, for failures, without JavaScript, without a network.
const page = 'plain pages';

const withoutJavaScript = (world) => ({
  page,
  name: `without JavaScript, ${world}`,
  world,
  options: { javaScriptEnabled: false },
  isWhole: true,
  go: async ({ page, address }) => {
    await page.goto(address);
    await page.locator('.plain-page').waitFor();
  },
});

export const plain = [
  {
    page,
    name: '404',
    world: 'offline',
    allow: [/status of 404/],
    go: async ({ page, address }) => {
      await page.goto(`${address}/nothing/here`);
      await page.locator('.plain-page').waitFor();
    },
  },
  {
    page,
    name: 'something went wrong',
    world: 'broken',
    allow: [/status of 500/],
    go: async ({ page, context, address, world }) => {
      await context.addCookies(world.cookies);
      await page.goto(`${address}/admin/`);
      await page.locator('.plain-page').waitFor();
    },
  },
  withoutJavaScript('offline'),
  withoutJavaScript('live'),
  {
    page,
    name: 'no network',
    world: 'offline',
    options: { serviceWorkers: 'allow' },
    allow: [/ERR_INTERNET_DISCONNECTED/, /WebSocket/],
    go: async ({ page, context, address }) => {
      await page.goto(address);
      await page.evaluate(async () => void (await navigator.serviceWorker.ready));
      await context.setOffline(true);
      await page.goto(address);
      await page.locator('h1').waitFor();
    },
  },
  {
    page,
    name: 'API reference',
    world: 'empty',
    go: async ({ page, address }) => {
      await page.goto(`${address}/api/docs`);
      await page.locator('h1').first().waitFor();
    },
  },
];

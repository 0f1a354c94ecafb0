// How an operator comes to a page.
import { answerFor } from './federation-answers.mjs';

export const openAdmin = async (scene, route) => {
  await scene.context.addCookies(scene.world.cookies);
  await scene.page.goto(`${scene.address}/admin/${route}`);
  await scene.page.locator('h1').first().waitFor();
  // Most pages have one for a moment, and those that never have are there at once.
  await scene.page.locator('main .skeleton').first().waitFor({ state: 'detached' });
};

/** As `openAdmin`, with what other servers would have sent. */
export const openFilled = async (scene, route) => {
  await scene.page.route(/\/api\/admin\/(federation|followers)/, async (request) => {
    const answer = answerFor(new URL(request.request().url()).pathname);
    await (answer && request.request().method() === 'GET' ? request.fulfill({ json: answer }) : request.continue());
  });
  await openAdmin(scene, route);
};

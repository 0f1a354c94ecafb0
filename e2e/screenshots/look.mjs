// Brings a page into its state, takes the picture, and tries what can be tried.
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { QUIET, watch, watchPolicy } from '../lib/browser.mjs';
import { copyForAxe, cutWords, sticksOut, violationsOf } from './checks.mjs';

/** Nothing takes this long; a machine that stands still for a while is no failure of ours. */
const ACTION_DEADLINE_MS = 30_000;
/** A page that answers nothing at all would hold up all others. */
const PICTURE_DEADLINE_MS = 180_000;

/**
 * The result of a job: `{ id, page, name, variant, seconds, picture?, violations, sideways, cut, problems, error? }`.
 * `world` is a promise.
 */
export async function lookAt(browser, { state, variant, id }, world, folder) {
  const nothing = { violations: [], sideways: [], cut: [], problems: [] };
  const result = { id, page: state.page, name: state.name, variant: variant.name, ...nothing };
  const begun = performance.now();
  const context = await browser.newContext({ ...QUIET, ...variant.options, ...state.options });
  context.setDefaultTimeout(ACTION_DEADLINE_MS);
  const said = [];
  let timer;
  context.on('page', (page) => watch(page, said));
  try {
    const broken = await watchPolicy(context);
    const started = await world;
    timer = setTimeout(() => void context.close(), PICTURE_DEADLINE_MS);
    const page = await context.newPage();
    await reach(state, { page, context, world: started, variant });
    await settle(page);
    result.picture = await pictureOf(page, folder, id, { animations: 'disabled', fullPage: state.isWhole });
    // What axe does to a page is not the page's fault.
    result.problems = unexpected(state, [...said, ...broken.map((text) => `policy: ${text}`)]);
    result.violations = await rulesOn(browser, page, { state, variant });
    result.sideways = await sticksOut(page);
    result.cut = await cutWords(page);
  } catch (error) {
    result.error = stripVTControlCharacters(error.message);
    result.problems = unexpected(state, said);
    // How far it came.
    const [page] = context.pages();
    result.picture ??= page && (await pictureOf(page, folder, id).catch(() => undefined));
  } finally {
    clearTimeout(timer);
    await context.close();
  }
  result.seconds = (performance.now() - begun) / 1000;
  return result;
}

const unexpected = ({ allow = [] }, said) => said.filter((text) => !allow.some((pattern) => pattern.test(text)));

/** Takes it, and answers the name of its file. */
async function pictureOf(page, folder, id, options) {
  const name = `${id}.png`;
  await page.screenshot({ path: join(folder, name), ...options });
  return name;
}

/** Where the pages keep who somebody is in the chat. */
const CHAT_TOKEN = 'rillcast.chat.token';

async function reach(state, scene) {
  const { visitor } = scene.world;
  if (visitor && !state.isNewcomer) {
    // A frame that may keep nothing has no chat either.
    const keep = ([key, token]) => {
      try {
        localStorage.setItem(key, token);
      } catch {}
    };
    await scene.context.addInitScript(keep, [CHAT_TOKEN, visitor.token]);
  }
  const address = scene.world.server.http;
  const isStacked = () => scene.variant.device === 'phone';
  await state.go({ ...scene, address, isStacked });
}

async function rulesOn(browser, page, { state, variant }) {
  if (state.options?.javaScriptEnabled !== false) return violationsOf(page, state.page);
  const { javaScriptEnabled: _, ...options } = state.options;
  const context = await browser.newContext({ ...QUIET, ...variant.options, ...options });
  try {
    return await violationsOf(await copyForAxe(page, context), state.page);
  } finally {
    await context.close();
  }
}

/** Letters and pictures are there, and nothing fades in any more. */
async function settle(page) {
  await page.evaluate(async () => {
    await document.fonts.ready;
    const inSight = [...document.images].filter((image) => image.loading !== 'lazy' && image.isConnected);
    await Promise.all(inSight.map((image) => image.decode().catch(() => {})));
  });
}

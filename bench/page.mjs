// A viewer in front of our own page, in a real browser: how soon it shows what, and how it takes a network that fails.
//
//   node page.mjs HTTP HEIGHTS_JSON
//
// Opens the page while nothing is live and prints `{"waiting":true}`. What follows is one JSON document on standard output.
// All times are milliseconds of the wall clock, or seconds where a name says so.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseQuality, openMenu, playerOf, watchHoles } from '../e2e/lib/player-page.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const { chromium } = createRequire(join(ROOT, 'e2e', 'package.json'))('playwright-core');
const FLAGS = [
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--autoplay-policy=no-user-gesture-required',
];
const LOOK_MS = 50;
const START_DEADLINE_MS = 60_000;
const CUTS_SECONDS = [5, 10, 60];
/** After the network is back. */
const WATCHED_SECONDS = 40;
/** As close to live as before: hls.js keeps half a second further away after a stall. */
const FURTHER_SECONDS = 1.5;
const SETTLING_SECONDS = 10;
const BROWSERS = 10;
const COUNTED_SECONDS = 40;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const latencyOf = async (page) => Number((await playerOf(page))?.latency);

/** Looks until `found` answers something, which is returned with the time; null when it never does. */
async function when(found, deadlineMs = START_DEADLINE_MS) {
  const end = Date.now() + deadlineMs;
  while (Date.now() < end) {
    const value = await found();
    if (value) return { at: Date.now(), value };
    await sleep(LOOK_MS);
  }
  return null;
}

/** The moment from which the picture moves. */
async function picture(page) {
  let first;
  const seen = await when(async () => {
    const now = await playerOf(page);
    if (now?.state !== 'playing') return false;
    first ??= now.time;
    return now.time > first && now.height > 0;
  });
  return seen?.at ?? null;
}

async function network(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const unlimited = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
  return (offline) => session.send('Network.emulateNetworkConditions', { offline, ...unlimited });
}

async function cut(page, setOffline, seconds) {
  const before = await latencyOf(page);
  await setOffline(true);
  await sleep(seconds * 1000);
  await setOffline(false);
  const back = Date.now();
  const isBack = async () => {
    const { state, latency } = (await playerOf(page)) ?? {};
    return state === 'playing' && Number(latency) <= before + FURTHER_SECONDS;
  };
  const seen = await when(isBack, WATCHED_SECONDS * 1000);
  await sleep(Math.max(0, back + WATCHED_SECONDS * 1000 - Date.now()));
  return { seconds, before, backAfter: seen && (seen.at - back) / 1000, after: await latencyOf(page) };
}

async function qualities(page, heights) {
  const holes = await watchHoles(page);
  const names = (await openMenu(page).then((told) => told())).slice(1);
  const changes = [];
  for (const name of [...names, ...names]) {
    const from = Date.now();
    await chooseQuality(page, name, heights[name]);
    changes.push({ name, seconds: (Date.now() - from) / 1000 });
  }
  return { changes, holes: await holes() };
}

async function viewers(browser, http) {
  const contexts = [];
  for (let number = 0; number < BROWSERS; number += 1) {
    const context = await browser.newContext();
    contexts.push(context);
    const page = await context.newPage();
    await page.goto(http);
  }
  let most = 0;
  await when(async () => {
    const { viewerCount } = await (await fetch(`${http}/api/status`)).json();
    most = Math.max(most, viewerCount);
    return most >= BROWSERS;
  }, COUNTED_SECONDS * 1000);
  await Promise.all(contexts.map((context) => context.close()));
  return most;
}

const [http, heightsText] = process.argv.slice(2);
const heights = JSON.parse(heightsText);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  chromiumSandbox: false,
  args: FLAGS,
});
try {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(http);
  await page.locator('#offline-banner').waitFor();
  console.log(JSON.stringify({ waiting: true }));
  const pictureAt = await picture(page);
  if (pictureAt === null) throw new Error('the picture never moved');
  const named = await openMenu(page);
  // Behind "Automatic".
  const listed = await when(async () => (await named()).length === Object.keys(heights).length + 1);
  await page.keyboard.press('Escape');
  await sleep(SETTLING_SECONDS * 1000);
  const setOffline = await network(page);
  const cuts = [];
  for (const seconds of CUTS_SECONDS) cuts.push(await cut(page, setOffline, seconds));
  const byHand = await qualities(page, heights);
  await context.close();
  const counted = await viewers(browser, http);
  console.log(JSON.stringify({ pictureAt, listedAt: listed?.at ?? null, cuts, ...byHand, counted }));
} finally {
  await browser.close();
}

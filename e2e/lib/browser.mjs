// One Chromium for a test file, a fresh context for each test, and no error that stays unseen.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const SHOTS = join(dirname(fileURLToPath(import.meta.url)), '..', 'shots');
/** Nothing takes this long; a machine that stands still for a while is no failure of ours. */
const ACTION_DEADLINE_MS = 30_000;

/** The one without windows starts a page in half the time; where it is not installed the whole one does the same. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser'];

const FLAGS = [
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
];

/** How a context is made, unless somebody wants it otherwise. */
export const QUIET = {
  locale: 'en-GB',
  // A page that waits for the stream draws drifting waves, for two thirds of a core without a graphics card.
  reducedMotion: 'reduce',
  // It would answer for a server that a test has stopped.
  serviceWorkers: 'block',
};

/** For programs that are no test; whoever calls it closes it. */
export function launchBrowser(flags = []) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? BROWSERS.find(existsSync),
    headless: true,
    chromiumSandbox: false,
    args: [...FLAGS, ...flags],
  });
}

/**
 * Call once at the top of a test file. Returns `withPage(options, body)`.
 * `options` are Playwright's context options plus `allow`: patterns of console errors the test provokes on purpose.
 * `flags` gives further ones for the command line; it is waited for.
 */
export function useBrowser({ flags = async () => [] } = {}) {
  let browser;
  before(async () => {
    browser = await launchBrowser(await flags());
  });
  after(async () => {
    await browser?.close();
  });

  return async function withPage({ allow = [], ...options }, body) {
    const context = await browser.newContext({ ...QUIET, ...options });
    context.setDefaultTimeout(ACTION_DEADLINE_MS);
    const problems = [];
    context.on('page', (page) => watch(page, problems));
    try {
      await body(await context.newPage(), context);
    } finally {
      await context.close();
    }
    const unexpected = problems.filter((text) => !allow.some((pattern) => pattern.test(text)));
    assert.deepEqual(unexpected, [], 'the browser reported errors');
  };
}

/** Notes errors of a page and what it writes to the console as errors. */
export function watch(page, problems) {
  page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
}

/** Signed-out admin pages are answered with 401, which Chromium reports as an error. */
export const UNAUTHORIZED = /status of 401/;

/** Writes shots/<name>.png for people to look at. */
export async function shot(page, name) {
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), animations: 'disabled' });
}

/** True when nothing sticks out to the side. */
export function fitsWidth(page) {
  return page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
}

/** Counts what the policy blocks, also where the browser would only whisper about it. */
export async function watchPolicy(context) {
  const violations = [];
  await context.exposeFunction('reportViolation', (text) => violations.push(text));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) =>
      window.reportViolation(`${event.violatedDirective} ${event.blockedURI} in ${event.sourceFile}`),
    );
  });
  return violations;
}

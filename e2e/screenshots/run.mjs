// Takes all pictures: node run.mjs --out FOLDER [--only PATTERN] [--short] [--list]
//
// Two contexts of one browser work at a time. What was found is in FOLDER: results.jsonl has a line for each picture as
// soon as it is taken, about.json what holds for all of them at the end. scripts/screenshots.py makes of it what people
// look at.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launchBrowser, QUIET } from '../lib/browser.mjs';
import { EXEMPTIONS } from './exemptions.mjs';
import { lookAt } from './look.mjs';
import { plan } from './plan.mjs';
import { STATES } from './states.mjs';
import { LANGUAGES, localeOf } from './variants.mjs';
import { createWorlds } from './worlds/worlds.mjs';

const AT_ONCE = 2;

const { values: asked } = parseArgs({
  options: {
    out: { type: 'string' },
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
const wanted = { only: asked.only && new RegExp(asked.only, 'i'), isShort: asked.short };

if (asked.list) {
  for (const { state, variant } of plan(STATES, { ...wanted, languages: LANGUAGES })) {
    process.stdout.write(`${state.page}/${state.name}/${variant.name}\n`);
  }
} else {
  await takeAll(asked.out ?? 'screenshots');
}

async function takeAll(folder) {
  mkdirSync(folder, { recursive: true });
  for (const file of ['results.jsonl', 'about.json']) rmSync(join(folder, file), { force: true });
  const worlds = createWorlds();
  const browser = await launchBrowser();
  try {
    const languages = await spoken(browser, (await worlds.use('empty')).server.http);
    const jobs = plan(STATES, { ...wanted, languages });
    const results = await takeEach(browser, jobs, worlds, folder);
    const about = {
      silent: LANGUAGES.filter((language) => !languages.includes(language)),
      unused: asked.only || asked.short ? [] : unusedExemptions(results),
      refused: await worlds.refused(),
    };
    writeFileSync(join(folder, 'about.json'), JSON.stringify(about, undefined, 1));
  } finally {
    await browser.close();
    await worlds.end();
  }
}

async function takeEach(browser, jobs, worlds, folder) {
  const results = [];
  const left = [...jobs];
  const work = async () => {
    for (let job = left.shift(); job; job = left.shift()) {
      const result = await lookAt(browser, job, worlds.use(job.state.world), folder);
      results.push(result);
      appendFileSync(join(folder, 'results.jsonl'), `${JSON.stringify({ place: jobs.indexOf(job), ...result })}\n`);
      const seconds = result.seconds.toFixed(1);
      process.stdout.write(`${results.length}/${jobs.length} ${result.id} ${seconds} s${mark(result)}\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

/** What is seen at a glance while it runs. */
function mark({ error, violations, sideways, problems }) {
  const rules = violations.filter(({ nodes }) => nodes.some(({ exempted }) => !exempted)).map(({ rule }) => rule);
  const found = [...rules, ...(sideways.length > 0 ? ['sideways'] : []), ...(problems.length > 0 ? ['console'] : [])];
  if (error) found.push(`not reached: ${error.split('\n')[0]}`);
  return found.length > 0 ? `  ! ${found.join(', ')}` : '';
}

/** The languages that the pages speak: one is not offered before all of it is there. */
async function spoken(browser, address) {
  const found = [];
  for (const language of LANGUAGES) {
    const context = await browser.newContext({ ...QUIET, locale: localeOf(language) });
    const page = await context.newPage();
    await page.goto(address);
    await page.locator('#main').waitFor();
    if ((await page.locator('html').getAttribute('lang')) === language) found.push(language);
    await context.close();
  }
  return found;
}

function unusedExemptions(results) {
  const used = new Set(
    results.flatMap(({ violations }) => violations.flatMap(({ nodes }) => nodes.map(({ exempted }) => exempted))),
  );
  return EXEMPTIONS.map(({ reason }) => reason).filter((reason) => !used.has(reason));
}

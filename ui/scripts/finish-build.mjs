// After `vite build`: checks the JavaScript budget of the viewer page and writes .br and .gz beside every
// compressible file, so that the server only has to pick one.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const DIST = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');
/** What a viewer may have to download before the player, in bytes of gzip. */
const VIEWER_BUDGET = 40 * 1024;
/** The page that is only the chat, for other sites: all of it is needed at once. */
const CHAT_BUDGET = 44 * 1024;
/** The same with the player, the chat and everything else that is fetched without being asked for. */
const PLAYER_BUDGET = 200 * 1024;
/** What is fetched only when somebody asks for it or a stream has no picture, and what that may cost on top. */
const ON_DEMAND = [
  'EmojiPicker.tsx',
  'ModeratorMenu.tsx',
  'ModeratorDialogs.tsx',
  'ActionDialog.tsx',
  'player/Help.tsx',
  'player/SoundOnly.tsx',
  'plugins/PluginFrame.tsx',
  'fediverse/entry.ts',
  'share/entry.ts',
  'moderation/entry.ts',
];
const ON_DEMAND_BUDGET = 28 * 1024;
/** The seek bar: on servers that keep something of the stream to go back to, once the picture is there. */
const REWIND = ['rewind/entry.ts'];
const REWIND_BUDGET = 8 * 1024;
/** The pages of past streams: on top of what a viewer page needs, with the player of what is over. */
const VIDEOS = ['videos/list-entry.ts', 'watch/entry.ts', 'watch/EmbeddedVideo.tsx'];
const VIDEOS_BUDGET = 24 * 1024;
/** The names of Unicode's emoji: those of the reader's language, when the picker of emoji is opened. */
const EMOJI_NAMES = /\/emoji\/unicode\.[a-z]{2}\.ts$/;
const EMOJI_NAMES_BUDGET = 25 * 1024;
const COMPRESSIBLE = new Set(['.html', '.js', '.css', '.svg', '.json', '.txt', '.ico', '.webmanifest']);
/** The shells are completed by the server for each request, so a stored compression of them would be wrong. */
const TEMPLATES = new Set(['index.html', 'embed.html', 'chat.html', 'admin.html']);

/** Texts, by their language: of the pages, and of the player's controls. */
const TEXTS =
  /(?:src\/i18n|src\/viewer\/player\/controls|media-chrome\/dist\/lang|media-chrome\/lang)\/([a-z]{2})(?:\.\w+)*\.[jt]s$/;
/** Only one language is ever fetched, so a page costs what it costs with the largest. */
const isOtherLanguage = (key) => (TEXTS.exec(key)?.[1] ?? largestLanguage) !== largestLanguage;

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const gzip = (bytes) => gzipSync(bytes, { level: 9 });
const brotli = (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });

const isAmong = (names) => (key) => names.some((name) => key.endsWith(`/${name}`));
const isOnDemand = isAmong(ON_DEMAND);
const isRewind = isAmong(REWIND);
const isOfVideos = isAmong(VIDEOS);
const isEmojiNames = (key) => EMOJI_NAMES.test(key);

/** Every script the entry loads at once: itself and its static imports; `wants` says which others may follow later. */
function scriptsOf(manifest, key, wants, seen = new Set()) {
  const chunk = manifest[key];
  if (seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  const wanted = [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? []).filter(wants)];
  for (const imported of wanted) scriptsOf(manifest, imported, wants, seen);
  return seen;
}

function gzipSizeOfEntry(entry, wants = () => false) {
  let total = 0;
  for (const file of scriptsOf(manifest, entry, wants)) total += gzip(readFileSync(join(DIST, file))).length;
  return total;
}

const manifestFile = join(DIST, '.vite', 'manifest.json');
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;

const gzipSizeOf = (key) => gzip(readFileSync(join(DIST, manifest[key].file))).length;

/** Of what viewers read, with the dialogs and without the admin pages. */
function sizeOfLanguage(language) {
  const keys = Object.keys(manifest).filter((key) => TEXTS.exec(key)?.[1] === language && !key.includes('.admin.'));
  return keys.reduce((sum, key) => sum + gzipSizeOf(key), 0);
}
const languages = [...new Set(Object.keys(manifest).flatMap((key) => TEXTS.exec(key)?.[1] ?? []))];
const [largestLanguage] = languages.toSorted((one, other) => sizeOfLanguage(other) - sizeOfLanguage(one));
console.log(`texts of viewers: ${languages.map((one) => `${one} ${kib(sizeOfLanguage(one))}`).join(', ')}`);

const over = [];
function check(name, bytes, budget) {
  console.log(`${name}: ${kib(bytes)} gzip${budget ? ` of ${kib(budget)} allowed` : ''}`);
  if (budget && bytes > budget) over.push(name);
}
check('viewer page before the player', gzipSizeOfEntry('index.html'), VIEWER_BUDGET);
/** Of the viewer page, with everything in the reader's language but what `leavesOut` names. */
const sizeWithout = (...leavesOut) =>
  gzipSizeOfEntry('index.html', (key) => !isOtherLanguage(key) && !leavesOut.some((isOne) => isOne(key)));
const unasked = sizeWithout(isOnDemand, isRewind, isOfVideos);
check('viewer page with the player  ', unasked, PLAYER_BUDGET);
const whenNeeded = sizeWithout(isEmojiNames, isRewind, isOfVideos) - unasked;
check('what is fetched when needed  ', whenNeeded, ON_DEMAND_BUDGET);
check('the seek bar                 ', sizeWithout(isOnDemand, isOfVideos) - unasked, REWIND_BUDGET);
check('pages of past streams        ', sizeWithout(isOnDemand, isRewind) - unasked, VIDEOS_BUDGET);
for (const key of Object.keys(manifest).filter(isEmojiNames)) {
  check(`${key.slice(-13)}, names of emoji`, gzipSizeOf(key), EMOJI_NAMES_BUDGET);
}
check('frame before the player      ', gzipSizeOfEntry('embed.html'), VIEWER_BUDGET);
check('chat alone                   ', gzipSizeOfEntry('chat.html'), CHAT_BUDGET);
check('admin pages                  ', gzipSizeOfEntry('admin.html'));
rmSync(join(DIST, '.vite'), { recursive: true });

let written = 0;
for (const file of filesBelow(DIST)) {
  if (!COMPRESSIBLE.has(extname(file)) || TEMPLATES.has(relative(DIST, file))) continue;
  const bytes = readFileSync(file);
  writeFileSync(`${file}.br`, brotli(bytes));
  writeFileSync(`${file}.gz`, gzip(bytes));
  written += 1;
}
console.log(`compressed copies of ${written} files`);

if (over.length > 0) {
  console.error(`over the JavaScript budget: ${over.map((name) => name.trim()).join(', ')}`);
  process.exit(1);
}

// After `vite build`: checks the JavaScript budget of the viewer page and writes .br and .gz beside every
// compressible file, so that the server only has to pick one.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const DIST = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist');
/** What a viewer may have to download before the player, in bytes of gzip. */
const VIEWER_BUDGET = 40 * 1024;
const COMPRESSIBLE = new Set(['.html', '.js', '.css', '.svg', '.json', '.txt', '.ico', '.webmanifest']);
/** The shells are completed by the server for each request, so a stored compression of them would be wrong. */
const TEMPLATES = new Set(['index.html', 'admin.html']);

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const gzip = (bytes) => gzipSync(bytes, { level: 9 });
const brotli = (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });

/** Every script the entry loads at once: itself and its static imports, not the lazy ones. */
function scriptsOf(manifest, key, seen = new Set()) {
  const chunk = manifest[key];
  if (seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const imported of chunk.imports ?? []) scriptsOf(manifest, imported, seen);
  return seen;
}

function gzipSizeOfEntry(manifest, entry) {
  let total = 0;
  for (const file of scriptsOf(manifest, entry)) total += gzip(readFileSync(join(DIST, file))).length;
  return total;
}

const manifestFile = join(DIST, '.vite', 'manifest.json');
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
const viewer = gzipSizeOfEntry(manifest, 'index.html');
console.log(`viewer JavaScript: ${kib(viewer)} gzip of ${kib(VIEWER_BUDGET)} allowed`);
console.log(`admin JavaScript:  ${kib(gzipSizeOfEntry(manifest, 'admin.html'))} gzip`);
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

if (viewer > VIEWER_BUDGET) {
  console.error('the viewer page is over its JavaScript budget');
  process.exit(1);
}

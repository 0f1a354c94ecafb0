// Renders the drawn logo into the bitmaps some clients insist on: img/logo.png and favicon.ico.
// Run by hand after a change of the drawing: node scripts/render-logo.mjs [path of chromium]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PUBLIC = join(dirname(fileURLToPath(import.meta.url)), '..', 'public');
const chromium = process.argv[2] ?? 'chromium';

function render(svgFile, size) {
  const work = mkdtempSync(join(tmpdir(), 'logo-'));
  try {
    const svg = readFileSync(svgFile, 'utf8').replace('<svg ', `<svg width="${size}" height="${size}" `);
    const page = join(work, 'logo.html');
    const shot = join(work, 'logo.png');
    writeFileSync(page, `<body style="margin:0">${svg}</body>`);
    execFileSync(
      chromium,
      [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--hide-scrollbars',
        '--default-background-color=00000000',
        `--window-size=${size},${size}`,
        `--screenshot=${shot}`,
        page,
      ],
      { stdio: 'ignore' },
    );
    return readFileSync(shot);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** An .ico with one PNG inside: understood by every browser of the last fifteen years. */
function icoOf(png, size) {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2); // type: icon
  header.writeUInt16LE(1, 4); // one image
  header.writeUInt8(size, 6);
  header.writeUInt8(size, 7);
  header.writeUInt16LE(1, 10); // colour planes
  header.writeUInt16LE(32, 12); // bits per pixel
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}

writeFileSync(join(PUBLIC, 'img', 'logo.png'), render(join(PUBLIC, 'img', 'logo.svg'), 512));
writeFileSync(join(PUBLIC, 'favicon.ico'), icoOf(render(join(PUBLIC, 'favicon.svg'), 64), 64));
console.log('wrote img/logo.png and favicon.ico');

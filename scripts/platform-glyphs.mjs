// Writes crates/web/src/public/social/glyphs.txt: the signs of platforms that links to the operator may name.
// They are from Simple Icons, which gives them away (CC0-1.0); the signs stay marks of the platforms.
//
//   npm pack simple-icons && tar xzf simple-icons-*.tgz && node scripts/platform-glyphs.mjs package
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OUT = fileURLToPath(new URL('../crates/web/src/public/social/glyphs.txt', import.meta.url));

/** Our ids, and the names of the files where they differ. LinkedIn and Keyoxide are not among them. */
const FILES = {
  bandcamp: 'bandcamp',
  bluesky: 'bluesky',
  codeberg: 'codeberg',
  discord: 'discord',
  facebook: 'facebook',
  fediverse: 'activitypub',
  github: 'github',
  gitlab: 'gitlab',
  instagram: 'instagram',
  kick: 'kick',
  kofi: 'kofi',
  lbry: 'lbry',
  lemmy: 'lemmy',
  liberapay: 'liberapay',
  mastodon: 'mastodon',
  matrix: 'matrix',
  odysee: 'odysee',
  opencollective: 'opencollective',
  patreon: 'patreon',
  paypal: 'paypal',
  peertube: 'peertube',
  pixelfed: 'pixelfed',
  reddit: 'reddit',
  rss: 'rss',
  signal: 'signal',
  snapchat: 'snapchat',
  soundcloud: 'soundcloud',
  spotify: 'spotify',
  steam: 'steam',
  telegram: 'telegram',
  threads: 'threads',
  tiktok: 'tiktok',
  twitch: 'twitch',
  twitter: 'x',
  vimeo: 'vimeo',
  whatsapp: 'whatsapp',
  xmpp: 'xmpp',
  youtube: 'youtube',
};

const folder = process.argv[2];
if (!folder) throw new Error('name the unpacked package');
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const lines = Object.entries(FILES).map(([id, file]) => {
  const svg = readFileSync(join(folder, 'icons', `${file}.svg`), 'utf8');
  const [, path, ...more] = svg.split(/ d="([^"]+)"/);
  if (!path || more.length > 1) throw new Error(`${file} is not one path`);
  return `${id} ${path}\n`;
});
const head = `# Signs of platforms on a square of 24, from Simple Icons ${version} (https://simpleicons.org, CC0-1.0).\n# Made by scripts/platform-glyphs.mjs.\n`;
writeFileSync(OUT, head + lines.join(''));

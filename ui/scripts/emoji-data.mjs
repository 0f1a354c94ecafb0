// Writes the names of Unicode's emoji for the chat's picker: src/viewer/chat/emoji/unicode.LANGUAGE.ts.
// Run by hand, with the folder of the unpacked package, when Unicode or the languages change:
//   npm pack emojibase-data@17.0.0 && tar xzf emojibase-data-17.0.0.tgz
//   node scripts/emoji-data.mjs package
// The package is too large (50 MB) for something that is needed once a year, so it is no dependency.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TARGET = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'viewer', 'chat', 'emoji');
/** With how many words to search for beside the name; more would be over 25 KB of gzip. */
const LANGUAGES = { en: 2, de: 1 };
/** Newer ones are an empty box on many phones and computers. */
const NEWEST = 15;
/** Skin colours and hair, which are no emoji by themselves. */
const COMPONENT = 2;
/** Their names say it all. */
const FLAGS = 9;
const MAN_OR_WOMAN = /\u200d[\u2640\u2642]/;
/** Smileys, people and parties, which many know by a short English name from elsewhere (`joy`, `tada`, `+1`). */
const WITH_SHORT_NAMES = [0, 1, 6];

const folder = process.argv[2];
if (!folder) throw new Error('usage: node scripts/emoji-data.mjs FOLDER_OF_EMOJIBASE_DATA');
const read = (path) => JSON.parse(readFileSync(join(folder, path), 'utf8'));
const { name, version } = read('package.json');

/** As the linter wants it. */
const quoted = (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

const shortNames = read('en/shortcodes/github.json');

function wordsOf({ hexcode, emoji, label, group, tags = [] }, mostWords) {
  if (group === FLAGS || MAN_OR_WOMAN.test(emoji)) return [];
  const isNew = (word) => !label.toLowerCase().includes(word.toLowerCase()) && !/[|;]/.test(word);
  const known = WITH_SHORT_NAMES.includes(group) ? (shortNames[hexcode] ?? []) : [];
  const short = [known]
    .flat()
    .slice(0, 1)
    .map((word) => word.replaceAll('_', ' '));
  return [...short, ...tags].filter(isNew).slice(0, mostWords);
}

const entryOf = (emoji, mostWords) => [`${emoji.emoji} ${emoji.label}`, ...wordsOf(emoji, mostWords)].join('|');

for (const [language, mostWords] of Object.entries(LANGUAGES)) {
  const emoji = read(`${language}/data.json`)
    .filter(({ group, version: since }) => group !== undefined && group !== COMPONENT && since <= NEWEST)
    .toSorted((one, other) => one.order - other.order);
  const groups = read(`${language}/messages.json`)
    .groups.filter(({ order }) => order !== COMPONENT)
    .map(({ order, message }) => {
      const entries = emoji.filter(({ group }) => group === order).map((one) => entryOf(one, mostWords));
      const title = message[0].toUpperCase() + message.slice(1);
      return `  [\n    ${quoted(title)},\n    ${quoted(entries.join(';'))},\n  ],`;
    });
  const file = join(TARGET, `unicode.${language}.ts`);
  writeFileSync(
    file,
    `/*! Emoji and their names: Unicode ${NEWEST} and CLDR, © Unicode, Inc. (Unicode-3.0), from ${name} ${version} (MIT). */
// Written by scripts/emoji-data.mjs. A group is its title and its emoji, each with its name and words to search for.
export const groups: [string, string][] = [
${groups.join('\n')}
];
`,
  );
  console.log(`${file}: ${emoji.length} emoji`);
}

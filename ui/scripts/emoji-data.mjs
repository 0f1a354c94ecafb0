// Writes the names of Unicode's emoji for the chat's picker: src/viewer/chat/emoji/unicode.LANGUAGE.ts.
// Run by hand, with the folders of the unpacked packages, when Unicode or the languages change:
//   npm pack emojibase-data@17.0.0 cldr-annotations-full@47.0.0 cldr-annotations-derived-full@47.0.0
//   for each of them: mkdir NAME && tar xzf NAME-VERSION.tgz -C NAME --strip-components 1
//   node scripts/emoji-data.mjs emojibase-data cldr-annotations-full cldr-annotations-derived-full
// They are too large (50 MB) for something that is needed once a year, so they are no dependencies.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TARGET = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'viewer', 'chat', 'emoji');
/** With how many words to search for beside the name; more would be over 25 KB of gzip. */
const LANGUAGES = { en: 2, de: 1, fr: 1, es: 1, ar: 1 };
/** What emojibase does not speak: the titles of the groups are ours, the names are those of CLDR. */
const GROUPS_OF = {
  ar: [
    'الوجوه والمشاعر',
    'الأشخاص والجسم',
    '',
    'الحيوانات والطبيعة',
    'الطعام والشراب',
    'السفر والأماكن',
    'الأنشطة',
    'الأشياء',
    'الرموز',
    'الأعلام',
  ],
};
/** Newer ones are an empty box on many phones and computers. */
const NEWEST = 15;
/** Skin colours and hair, which are no emoji by themselves. */
const COMPONENT = 2;
/** Their names say it all. */
const FLAGS = 9;
const MAN_OR_WOMAN = /\u200d[\u2640\u2642]/;
/** Smileys, people and parties, which many know by a short English name from elsewhere (`joy`, `tada`, `+1`). */
const WITH_SHORT_NAMES = [0, 1, 6];

const [folder, annotations, derived] = process.argv.slice(2);
if (!derived) throw new Error('usage: node scripts/emoji-data.mjs EMOJIBASE_DATA CLDR_ANNOTATIONS CLDR_DERIVED');
const readFrom = (place, path) => JSON.parse(readFileSync(join(place, path), 'utf8'));
const read = (path) => readFrom(folder, path);
const { name, version } = read('package.json');
const cldr = readFrom(annotations, 'package.json');

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

/** Emoji in the order of Unicode and their groups, in this language. */
function dataOf(language) {
  const titles = GROUPS_OF[language];
  if (!titles) {
    return { data: read(`${language}/data.json`), titles: read(`${language}/messages.json`).groups };
  }
  const names = {
    ...readFrom(annotations, `annotations/${language}/annotations.json`).annotations.annotations,
    ...readFrom(derived, `annotationsDerived/${language}/annotations.json`).annotationsDerived.annotations,
  };
  // CLDR leaves out the character that asks for a coloured picture.
  const nameOf = (emoji) => names[emoji]?.tts?.[0] ?? names[emoji.replaceAll('\ufe0f', '')]?.tts?.[0];
  return {
    // A separator of ours in a name would cut it in two; one without a name keeps its English one.
    data: read('en/data.json').map((one) => ({
      ...one,
      label: (nameOf(one.emoji) ?? one.label).replaceAll(/[;|]/g, ','),
      tags: names[one.emoji]?.default ?? [],
    })),
    titles: titles.map((message, order) => ({ order, message })),
  };
}

for (const [language, mostWords] of Object.entries(LANGUAGES)) {
  const { data, titles } = dataOf(language);
  const emoji = data
    .filter(({ group, version: since }) => group !== undefined && group !== COMPONENT && since <= NEWEST)
    .toSorted((one, other) => one.order - other.order);
  const groups = titles
    .filter(({ order }) => order !== COMPONENT)
    .map(({ order, message }) => {
      const entries = emoji.filter(({ group }) => group === order).map((one) => entryOf(one, mostWords));
      const title = message[0].toUpperCase() + message.slice(1);
      return `  [\n    ${quoted(title)},\n    ${quoted(entries.join(';'))},\n  ],`;
    });
  const file = join(TARGET, `unicode.${language}.ts`);
  writeFileSync(
    file,
    `/*! Emoji and their names: Unicode ${NEWEST} and CLDR, © Unicode, Inc. (Unicode-3.0), from ${name} ${version} (MIT)${GROUPS_OF[language] ? ` and ${cldr.name} ${cldr.version}` : ''}. */
// Written by scripts/emoji-data.mjs. A group is its title and its emoji, each with its name and words to search for.
export const groups: [string, string][] = [
${groups.join('\n')}
];
`,
  );
  console.log(`${file}: ${emoji.length} emoji`);
}

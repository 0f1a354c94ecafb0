/** Finds what somebody means by a few words. Knows neither pages nor settings. */

/** What can be searched in, from what says most to what says least. */
export interface Searchable {
  label: string;
  /** Names from elsewhere: keys of the configuration file, addresses. */
  keys: string[];
  help: string;
  group: string;
}

/** Words this long may have one wrong letter; shorter ones would be too much like others. */
const MIN_TYPO_CHARS = 5;

const EXACT_WORD = 12;
const WORD_START = 10;
const IN_LABEL = 7;
const IN_KEY = 6;
const ALMOST = 4;
const IN_HELP = 3;

/** Without case and accents, as people type in a hurry. */
export function normalise(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
}

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/** One letter more, less, different, or two that changed places. */
export function isOneEditApart(left: string, right: string): boolean {
  const [short, long] = left.length <= right.length ? [left, right] : [right, left];
  if (long.length - short.length > 1) return false;
  let same = 0;
  while (same < short.length && short[same] === long[same]) same += 1;
  if (short.length < long.length) return short.slice(same) === long.slice(same + 1);
  if (short.slice(same + 1) === long.slice(same + 1)) return true;
  const swapped = long.slice(0, same) + (long[same + 1] ?? '') + (long[same] ?? '') + long.slice(same + 2);
  return short === swapped;
}

/** Also while the word is still being typed. */
function isAlmost(typed: string, word: string): boolean {
  if (typed.length < MIN_TYPO_CHARS) return false;
  const lengths = [typed.length - 1, typed.length, typed.length + 1, word.length];
  return lengths.some((length) => isOneEditApart(typed, word.slice(0, length)));
}

function scoreOfWord(typed: string, entry: Searchable): number {
  const label = normalise(entry.label);
  const labelWords = wordsOf(label);
  if (labelWords.includes(typed)) return EXACT_WORD;
  if (labelWords.some((word) => word.startsWith(typed))) return WORD_START;
  if (label.includes(typed)) return IN_LABEL;
  if (entry.keys.some((key) => normalise(key).includes(typed))) return IN_KEY;
  if (normalise(`${entry.help} ${entry.group}`).includes(typed)) return IN_HELP;
  return labelWords.some((word) => isAlmost(typed, word)) ? ALMOST : 0;
}

/** Entries that have all the words, best first; those that are equally good keep their order. */
export function search<Entry extends Searchable>(query: string, entries: Entry[]): Entry[] {
  const typed = normalise(query).split(/\s+/).filter(Boolean);
  if (typed.length === 0) return entries;
  const rated = entries.flatMap((entry) => {
    const scores = typed.map((word) => scoreOfWord(word, entry));
    return scores.includes(0) ? [] : [{ entry, score: scores.reduce((sum, one) => sum + one, 0) }];
  });
  return rated.sort((left, right) => right.score - left.score).map((one) => one.entry);
}

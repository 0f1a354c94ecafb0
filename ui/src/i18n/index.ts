/**
 * The message catalogue at run time. English is in the bundle; other languages arrive by `import()` only when wanted.
 * Keys are typed by the English catalogue; the other languages are type-checked to have the same ones.
 */
import { createSignal } from 'solid-js';
import { readPreference, writePreference } from '../storage.ts';
import type { en } from './en.ts';
import { isOffered, LANGUAGES, type Language } from './languages.ts';

export { LANGUAGES, type Language, offered } from './languages.ts';

/** Forms of a message that counts. `other` is the one every language has; Arabic has all six. */
export type Plural = { other: string } & { [Form in Intl.LDMLPluralRule]?: string };
export type Message = string | Plural;
export type Catalogue = Record<string, Message>;
/** Same keys as the source and the same kind (text or plural) for each. */
export type SameKeys<Source extends Catalogue> = { [K in keyof Source]: Source[K] extends string ? string : Plural };

export type Params = Record<string, string | number>;
export type Translate<Key extends string> = (key: Key, params?: Params) => string;

type Loader = () => Catalogue | Promise<Catalogue>;
/** One loader per language that has the texts; `en` is synchronous in practice because its module is already there. */
export type Loaders = { en: Loader } & { [Tag in Language]?: Loader };
/** What `import.meta.glob` finds. */
type Files = Record<string, () => Promise<unknown>>;

/**
 * Loaders for every language whose files are there, by their names: `de.share.ts` holds one catalogue, in German. Of
 * several sets a language has the texts of all.
 */
export function translations(...sets: Files[]): Omit<Loaders, 'en'> {
  const loaders: { [Tag in string]?: Loader } = {};
  for (const [path, load] of sets.flatMap(Object.entries<Files[string]>)) {
    const tag = path.split('/').at(-1)?.split('.')[0] ?? '';
    const before = loaders[tag];
    loaders[tag] = async () => Object.assign({}, await before?.(), ...Object.values((await load()) as object));
  }
  return loaders;
}

const [language, setLanguageSignal] = createSignal<Language>('en');
const [messages, setMessages] = createSignal<Catalogue>({});
let loaders: Loaders | undefined;
/** Of what was fetched after the page. */
const laterLoaders = new Set<Loaders>();

export { language };

/** First language of the person that we speak. */
export function preferredLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const base = tag.toLowerCase().split('-')[0] ?? '';
    if (isOffered(base)) return base;
  }
  return 'en';
}

/** Loads the catalogue for this visit; await it before the first render. */
export async function startI18n(available: Loaders): Promise<void> {
  loaders = available;
  const stored = readPreference('language');
  await load(stored && isOffered(stored) ? stored : preferredLanguage(navigator.languages));
}

export async function chooseLanguage(next: Language): Promise<void> {
  writePreference('language', next);
  await load(next);
}

/** Adds the texts of something that is fetched after the page; await it before showing that. */
export async function addTexts(more: Loaders): Promise<void> {
  laterLoaders.add(more);
  await load(language());
}

async function load(next: Language): Promise<void> {
  if (!loaders) return;
  const english = await loaders.en();
  const catalogue = await speak(loaders, next);
  const later = await Promise.all([...laterLoaders].map((one) => speak(one, next)));
  setMessages(() => Object.assign({}, catalogue, ...later));
  setLanguageSignal(catalogue === english ? 'en' : next);
  document.documentElement.lang = language();
  document.documentElement.dir = LANGUAGES[language()].direction ?? 'ltr';
}

/** Without a connection the page stays readable in English. */
async function speak(from: Loaders, next: Language): Promise<Catalogue> {
  const english = await from.en();
  const load = next === 'en' ? undefined : from[next];
  return load ? Promise.resolve(load()).catch(() => english) : english;
}

/** For texts that may be there or not, such as what a newer server says. */
export function hasText(key: string): boolean {
  return messages()[key] !== undefined;
}

export function translate(key: string, params: Params = {}): string {
  const message = messages()[key];
  if (message === undefined) return key;
  return fill(typeof message === 'string' ? message : pluralForm(message, params), params);
}

function pluralForm(message: Plural, params: Params): string {
  const rule = new Intl.PluralRules(language()).select(Number(params.count ?? 0));
  return message[rule] ?? message.other;
}

function fill(text: string, params: Params): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? new Intl.NumberFormat(language()).format(value) : value;
  });
}

/** The translator of the viewer page; the admin pages have their own with more keys. */
export const t: Translate<keyof typeof en> = translate;

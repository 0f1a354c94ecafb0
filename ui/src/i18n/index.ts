/**
 * The message catalogue at run time. English is in the bundle; other languages arrive by `import()` only when wanted.
 * Keys are typed by the English catalogue; the other languages are type-checked to have the same ones.
 */
import { createSignal } from 'solid-js';
import { readPreference, writePreference } from '../storage.ts';
import type { en } from './en.ts';

/** Forms of a message that counts; `other` is the one every language has. */
export type Plural = { one: string; other: string };
export type Message = string | Plural;
export type Catalogue = Record<string, Message>;
/** Same keys as the source and the same kind (text or plural) for each. */
export type SameKeys<Source extends Catalogue> = { [K in keyof Source]: Source[K] extends string ? string : Plural };

export type Params = Record<string, string | number>;
export type Translate<Key extends string> = (key: Key, params?: Params) => string;

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

/** One loader per language; `en` is synchronous in practice because its module is already there. */
export type Loaders = Record<Language, () => Catalogue | Promise<Catalogue>>;

const [language, setLanguageSignal] = createSignal<Language>('en');
const [messages, setMessages] = createSignal<Catalogue>({});
let loaders: Loaders | undefined;
/** Of what was fetched after the page. */
const laterLoaders = new Set<Loaders>();

export { language };

const isLanguage = (text: string): text is Language => Object.hasOwn(LANGUAGES, text);

/** First language of the person that we speak. */
export function preferredLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const base = tag.toLowerCase().split('-')[0] ?? '';
    if (isLanguage(base)) return base;
  }
  return 'en';
}

/** Loads the catalogue for this visit; await it before the first render. */
export async function startI18n(available: Loaders): Promise<void> {
  loaders = available;
  const stored = readPreference('language');
  await load(stored && isLanguage(stored) ? stored : preferredLanguage(navigator.languages));
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
}

/** Without a connection the page stays readable in English. */
async function speak(from: Loaders, next: Language): Promise<Catalogue> {
  const english = await from.en();
  return next === 'en' ? english : Promise.resolve(from[next]()).catch(() => english);
}

export function translate(key: string, params: Params = {}): string {
  const message = messages()[key];
  if (message === undefined) return key;
  return fill(typeof message === 'string' ? message : pluralForm(message, params), params);
}

function pluralForm(message: Plural, params: Params): string {
  const rule = new Intl.PluralRules(language()).select(Number(params.count ?? 0));
  return rule === 'one' ? message.one : message.other;
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

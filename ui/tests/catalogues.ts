// All catalogues of all languages, found by their names: `de.share.ts` is what German says in the share dialog.
import type { Catalogue, Language, Message } from '../src/i18n/index.ts';

const files = import.meta.glob<Record<string, Catalogue>>('../src/i18n/??{,.*}.ts', { eager: true });

/** By area (`''`, `share`, `admin.chat` …) for each language; an area that collects others has their texts too. */
const areas = new Map<string, Map<string, Catalogue>>();
for (const [path, module] of Object.entries(files)) {
  const [tag = '', ...area] = path.split('/').at(-1)?.split('.').slice(0, -1) ?? [];
  const texts: Catalogue = Object.assign({}, ...Object.values(module));
  areas.set(tag, (areas.get(tag) ?? new Map()).set(area.join('.'), texts));
}

/** The areas of English, which every language has. */
export const allAreas = (): string[] => [...(areas.get('en')?.keys() ?? [])].sort();

/** What a language says in one file; empty if it is not there. */
export const areaOf = (tag: Language, area: string): Catalogue => areas.get(tag)?.get(area) ?? {};

/** Everything a language says. */
export const catalogueOf = (tag: Language): Catalogue => Object.assign({}, ...(areas.get(tag)?.values() ?? []));

/** Each form of a text. */
export const formsOf = (message: Message | undefined): string[] =>
  typeof message === 'string' ? [message] : Object.values(message ?? {});

/** The names in braces. */
export const gapsOf = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').sort();

// Which state is looked at in which variant.
import { variantsOf } from './variants.mjs';

/** Of letters that every file system and every address takes. */
const slug = (text) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/**
 * Jobs, one for each picture: `{ state, variant, id }`.
 * @param {{page: string, name: string, isMain?: boolean, only?: string[]}[]} states
 * @param {{only?: RegExp, isShort?: boolean, languages: string[]}} wanted
 *   `only` is looked for in `page/name/variant`; `languages` are those that the pages speak.
 */
export function plan(states, { only, isShort = false, languages }) {
  const jobs = states.flatMap((state) =>
    variantsOf(state, { isShort })
      .filter(({ language }) => languages.includes(language))
      .map((variant) => ({ state, variant, id: `${slug(state.page)}--${slug(state.name)}--${variant.name}` })),
  );
  const twice = jobs.find(({ id }, at) => jobs.findIndex((other) => other.id === id) !== at);
  if (twice) throw new Error(`two states have the name ${twice.id}`);
  return jobs.filter(({ state, variant }) => !only || only.test(`${state.page}/${state.name}/${variant.name}`));
}

/** From the settings of a plugin to a form and back. Knows no DOM. */
import { ta } from '../../../i18n/admin.ts';
import type { PluginSetting, Values } from '../wire.ts';

export type Schema = Record<string, PluginSetting>;
/** What stands in the field: a switch is a boolean, everything else a text. */
export type Draft = Record<string, string | boolean>;
export type Problems = Record<string, string>;

function shown(field: PluginSetting, value: unknown): string | boolean {
  if (field.type === 'boolean') return value === true;
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function draftOf(schema: Schema, values: Values): Draft {
  return Object.fromEntries(Object.entries(schema).map(([key, field]) => [key, shown(field, values[key])]));
}

/** Undefined is a field that was left empty: it has its default. Throws a sentence for what is no value. */
function entry(field: PluginSetting, entered: string | boolean): unknown {
  if (typeof entered === 'boolean' || field.type === 'string') return entered;
  const text = entered.trim();
  if (text === '') return undefined;
  if (field.type === 'number') {
    if (!Number.isFinite(Number(text))) throw new Error(ta('plugins.settings.noNumber'));
    return Number(text);
  }
  try {
    return JSON.parse(text);
  } catch {
    // A kind this page does not know takes any value, a text too.
    return entered;
  }
}

/** Without a default it is what an untouched field says of a value that was never set. */
function isDefault(field: PluginSetting, value: unknown, stored: unknown): boolean {
  if (field.default === undefined) return stored === undefined && value === shown(field, undefined);
  return JSON.stringify(value) === JSON.stringify(field.default);
}

/** Only what differs from its default: with a newer package the others follow its defaults. */
export function changesIn(schema: Schema, draft: Draft, stored: Values): { values: Values; problems: Problems } {
  const values: Values = {};
  const problems: Problems = {};
  for (const [key, field] of Object.entries(schema)) {
    try {
      const value = entry(field, draft[key] ?? '');
      if (value !== undefined && !isDefault(field, value, stored[key])) values[key] = value;
    } catch (problem) {
      problems[key] = problem instanceof Error ? problem.message : String(problem);
    }
  }
  return { values, problems };
}

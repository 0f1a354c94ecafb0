/** What the facts about a plugin mean for the operator. Knows no DOM. */
import { type AdminKey, ta } from '../../i18n/admin.ts';
import { timeOfDay } from '../../i18n/format.admin.ts';
import { dateTime } from '../../i18n/format.ts';
import type { Plugin, PluginPage } from './wire.ts';

export type PluginState = 'off' | 'starting' | 'running' | 'waiting' | 'failed' | 'crashed' | 'autoDisabled';

export function stateOf(plugin: Plugin): PluginState {
  // Without a version there is no package that could be read.
  if (!plugin.enabled) return plugin.lastError && !plugin.version ? 'failed' : 'off';
  if (plugin.autoDisabled) return 'autoDisabled';
  if (plugin.running) return isWaiting(plugin) ? 'waiting' : 'running';
  if (plugin.loaded) return plugin.lastError ? 'crashed' : 'starting';
  if (plugin.lastError) return 'failed';
  return isWaiting(plugin) ? 'waiting' : 'starting';
}

/** Its newest package asks for more than was agreed to. */
export const isWaiting = (plugin: Plugin): boolean => (plugin.pendingPermissions?.length ?? 0) > 0;

/** What its state means, in a sentence or two. */
export function stateText(plugin: Plugin): string {
  const state = stateOf(plugin);
  if (state === 'autoDisabled' && plugin.returnsAt) {
    return ta('plugins.state.autoDisabled.returns', { time: returnTime(plugin.returnsAt) });
  }
  return ta(`plugins.state.${state}.text` as AdminKey);
}

/** With the day only where it is another one. */
export function returnTime(returnsAt: string): string {
  const isToday = new Date(returnsAt).toDateString() === new Date().toDateString();
  return isToday ? timeOfDay(returnsAt) : dateTime(returnsAt);
}

/** The operator wants it to run, and it does not. */
export function isStopped(plugin: Plugin): boolean {
  if (!plugin.enabled) return false;
  const state = stateOf(plugin);
  return ['failed', 'crashed', 'autoDisabled'].includes(state) || (state === 'waiting' && !plugin.running);
}

/** Longest error in a list; the plugin's page has all of it. */
const MAX_SHORT_ERROR = 160;

/** Of a traceback the last line says what happened. */
export function shortError(error: string): string {
  const last = error.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return last.length > MAX_SHORT_ERROR ? `${last.slice(0, MAX_SHORT_ERROR).trimEnd()}…` : last;
}

export const isFilter = (plugin: Plugin): boolean => plugin.permissions.includes('chat.filter');

export const makesUsers = (plugin: Plugin): boolean => plugin.permissions.includes('users.register');

export const canBeGate = (plugin: Plugin): boolean => plugin.permissions.includes('auth.gate');

export interface OwnPage {
  title: string;
  url: string;
}

/** The plugin's own pages: where each begins. `/admin` and everything below it are one page. */
export function ownPages(plugin: Plugin): OwnPage[] {
  const found = new Map<string, OwnPage>();
  for (const page of plugin.adminPages ?? []) {
    const url = `/plugins/${plugin.slug}${startOf(page)}`;
    if (!found.has(url)) found.set(url, { title: page.title, url });
  }
  return [...found.values()];
}

/** The part of the path before the first segment with a wildcard. */
function startOf(page: PluginPage): string {
  const parts = page.path.split('/').filter(Boolean);
  const wild = parts.findIndex((part) => /[*?[{]/.test(part));
  const fixed = wild < 0 ? parts : parts.slice(0, wild);
  return fixed.map((part) => `/${encodeURIComponent(part)}`).join('') || '/';
}

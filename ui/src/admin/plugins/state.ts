/** What the facts about a plugin mean for the operator. Knows no DOM. */
import type { Plugin, PluginPage } from './wire.ts';

export type PluginState = 'off' | 'preparing' | 'running' | 'waiting' | 'failed' | 'crashed' | 'autoDisabled';

export function stateOf(plugin: Plugin): PluginState {
  // Without a version there is no package that could be read.
  if (!plugin.enabled) return plugin.lastError && !plugin.version ? 'failed' : 'off';
  if (plugin.autoDisabled) return 'autoDisabled';
  if (plugin.running) return isWaiting(plugin) ? 'waiting' : 'running';
  if (plugin.loaded) return plugin.lastError ? 'crashed' : 'preparing';
  if (plugin.lastError) return 'failed';
  return isWaiting(plugin) ? 'waiting' : 'preparing';
}

/** Its newest package asks for more than was agreed to. */
export const isWaiting = (plugin: Plugin): boolean => (plugin.pendingPermissions?.length ?? 0) > 0;

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

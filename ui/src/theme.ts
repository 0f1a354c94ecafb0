/** Light, dark, or what the system says. The choice is an attribute on <html>; the colours are in tokens.css. */
import { createSignal } from 'solid-js';
import { readPreference, writePreference } from './storage.ts';

export type Theme = 'light' | 'dark';

const stored = readPreference('theme');
const [chosen, setChosen] = createSignal<Theme | null>(stored === 'light' || stored === 'dark' ? stored : null);
const system = typeof matchMedia === 'function' ? matchMedia('(prefers-color-scheme: dark)') : undefined;
const [systemDark, setSystemDark] = createSignal(system?.matches ?? false);
system?.addEventListener('change', (event) => setSystemDark(event.matches));

export const theme = (): Theme => chosen() ?? (systemDark() ? 'dark' : 'light');

function apply(): void {
  const choice = chosen();
  if (choice) document.documentElement.dataset.theme = choice;
  else delete document.documentElement.dataset.theme;
}

/** Run before the first paint. */
export const applyStoredTheme = apply;

/** Choosing what the system says anyway means following the system again. */
export function toggleTheme(): void {
  const next: Theme = theme() === 'dark' ? 'light' : 'dark';
  const followsSystem = next === (systemDark() ? 'dark' : 'light');
  setChosen(followsSystem ? null : next);
  writePreference('theme', followsSystem ? null : next);
  apply();
}

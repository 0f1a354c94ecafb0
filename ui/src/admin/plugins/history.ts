/** How a plugin did while the page was open: the server only tells how it is now. */
import { createEffect, createSignal, on } from 'solid-js';
import type { Point } from '../charts/draw.ts';
import type { Polled } from '../polled.ts';
import type { Plugin } from './wire.ts';

/** Between two looks at the plugins. */
export const INTERVAL_MS = 5_000;

/** Ten minutes; the oldest go first. */
const MAX_POINTS = 120;

export interface History {
  memory: Point[];
  /** Each minute. */
  calls: Point[];
}

interface Kept extends History {
  total: number;
  at: number;
}

const EMPTY: History = { memory: [], calls: [] };

const add = (points: Point[], point: Point) => [...points, point].slice(-MAX_POINTS);

function next(before: Kept | undefined, plugin: Plugin, at: number): Kept {
  const total = plugin.callStats.total;
  const memory = add(before?.memory ?? [], { at, value: plugin.memoryBytes });
  // A smaller total is a new start of the plugin, not calls that were taken back.
  if (!before || total < before.total || at <= before.at) return { memory, calls: before?.calls ?? [], total, at };
  const value = ((total - before.total) * 60_000) / (at - before.at);
  return { memory, calls: add(before.calls, { at, value }), total, at };
}

export function createHistory(plugins: Polled<Plugin[]>): (slug: string) => History {
  const [kept, setKept] = createSignal(new Map<string, Kept>());
  createEffect(
    on(plugins.at, (time) => {
      const at = Date.parse(time);
      const loaded = plugins.raw()?.filter((plugin) => plugin.loaded) ?? [];
      setKept((before) => new Map(loaded.map((plugin) => [plugin.slug, next(before.get(plugin.slug), plugin, at)])));
    }),
  );
  return (slug) => kept().get(slug) ?? EMPTY;
}
